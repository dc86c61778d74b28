import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startCall } from '../support/pulse-call.ts';
import { privatePulse } from '../support/pulse.ts';
import { checkLook, openPage, startChromium, startWebService } from './browser.ts';

test('the page asks whether to record a call, records it, and says that it is over', async (t) => {
  const pulse = await privatePulse(t);
  const service = await startWebService(t, pulse.env as Record<string, string>);
  const browser = await startChromium(t);
  const session = await service.login();
  const german = { locale: 'de-DE', viewport: { width: 390, height: 844 }, theme: 'dark' } as const;
  const page = await openPage(t, browser, {
    url: `${service.url}/settings`,
    session,
    expected: /404/,
  });
  // There is no audio to play while it is recorded.
  const phone = await openPage(t, browser, { url: `${service.url}/account`, session, ...german });
  const call = await startCall(t, pulse.env);

  await shown(page).getByText('Phone is using the microphone. Record this call?').waitFor();
  await shown(phone).getByText('Phone verwendet das Mikrofon. Diesen Anruf aufnehmen?').waitFor();
  await checkLook(page, 'call-begins');
  await checkLook(phone, 'call-begins-german-phone');
  await page.getByRole('button', { name: 'Record call' }).click();
  await page.waitForURL(/\/notes\//);
  await shown(phone).getByText('Diesen Anruf aufnehmen?').waitFor({ state: 'hidden' });

  await call.end();
  await shown(page).getByText('The call in Phone seems to be over. Stop recording?').waitFor();
  await checkLook(page, 'call-ends');
  await shown(page).getByRole('button', { name: 'Keep recording' }).click();
  await shown(page).waitFor({ state: 'hidden' });
});

/** The question; screen readers are told of it elsewhere. */
const shown = (page: Page) => page.getByRole('complementary', { name: /^(Call|Anruf)$/ });
