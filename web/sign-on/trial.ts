/** A login by way of trial: a tab of its own goes to the provider, and hands what it comes back with to the tab that waits. */

const channelName = 'mitschrift.sign-on-trial';
/** How the server begins the state of a trial. */
const mark = 'trial-';

/** Calls back once, with the query with which the provider sent that trial back. @returns how to stop waiting */
export function trialBack(state: string, back: (query: string) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
    if (new URLSearchParams(data).get('state') !== state) return;
    channel.close();
    back(data);
  });
  return () => channel.close();
}

/** Hands a trial on, where this address is one's end. @returns whether it is */
export function handTrialOn(): boolean {
  const { search } = location;
  if (new URLSearchParams(search).get('state')?.startsWith(mark) !== true) return false;
  history.replaceState(history.state, '', '/login');
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to pages of this address alone
  channel.postMessage(search);
  channel.close();
  // Some browsers close no tab that has been elsewhere.
  window.close();
  return true;
}
