import type { Route } from './route.ts';
import { audioDeviceRoutes } from './routes/devices.ts';
import { audioRoutes } from './routes/audio.ts';
import { backupRoutes } from './routes/backup.ts';
import { callRoutes } from './routes/calls.ts';
import { configRoutes } from './routes/config.ts';
import { openApiRoute, pageRoutes } from './routes/pages.ts';
import { documentRoutes } from './routes/documents.ts';
import { exportRoutes } from './routes/export.ts';
import { groupRoutes } from './routes/groups.ts';
import { happenedRoutes } from './routes/happened.ts';
import { guideRoutes } from './routes/guide.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { manyRecordingRoutes } from './routes/many-recordings.ts';
import { modelRoutes } from './routes/models.ts';
import { openRoutes } from './routes/open.ts';
import { orderRoutes } from './routes/order.ts';
import { retentionRoutes } from './routes/retention.ts';
import { ruleRoutes } from './routes/rules.ts';
import { templateRoutes } from './routes/templates.ts';
import { oldWordRoutes } from './routes/old-words.ts';
import { wordRoutes } from './routes/words.ts';
import { profileRoutes } from './routes/profiles.ts';
import { questionRoutes } from './routes/questions.ts';
import { recordingCommandRoutes } from './routes/recording-actions.ts';
import { recordingChangeRoutes } from './routes/recording-edits.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes, ticketRoutes } from './routes/session.ts';
import { sidenoteRoutes } from './routes/sidenotes.ts';
import { summaryRoutes } from './routes/summary.ts';
import { accessRoutes } from './routes/access.ts';
import { linkRoutes } from './routes/links.ts';
import { sharedRoutes } from './routes/shared.ts';
import { assemblyRoutes } from './routes/assembly.ts';
import { speakersRoutes } from './routes/speakers.ts';
import { statusRoutes } from './routes/status.ts';
import { toggleRoutes } from './routes/toggle.ts';
import { turnRoutes } from './routes/turns.ts';
import { tusRoutes } from './routes/tus.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { ownExportRoutes } from './routes/own-export.ts';
import { signOnRoutes } from './routes/sign-on.ts';
import { twoStepRoutes } from './routes/two-step.ts';
import { userRoutes } from './routes/users.ts';
import { vaultRoutes } from './routes/vault.ts';
import { versionRoutes } from './routes/versions.ts';

/** Every route of the interface. Of those that match a path the first answers: `/users/me` before `/users/{name}`. */
export const routes: readonly Route[] = [
  ...pageRoutes,
  openApiRoute(() => routes),
  ...guideRoutes,
  ...sessionRoutes,
  ...twoStepRoutes,
  ...ownExportRoutes,
  ...userRoutes,
  ...vaultRoutes,
  ...groupRoutes,
  ...invitationRoutes,
  ...configRoutes,
  ...signOnRoutes,
  ...backupRoutes,
  ...statusRoutes,
  ...happenedRoutes,
  ...toggleRoutes,
  ...uploadRoutes,
  ...manyRecordingRoutes,
  ...recordingRoutes,
  ...recordingCommandRoutes,
  ...recordingChangeRoutes,
  ...accessRoutes,
  ...linkRoutes,
  ...sharedRoutes,
  ...versionRoutes,
  ...turnRoutes,
  ...sidenoteRoutes,
  ...summaryRoutes,
  ...assemblyRoutes,
  ...questionRoutes,
  ...speakersRoutes,
  ...profileRoutes,
  ...orderRoutes,
  ...ruleRoutes,
  ...retentionRoutes,
  ...templateRoutes,
  ...wordRoutes,
  ...oldWordRoutes,
  ...documentRoutes,
  ...searchRoutes,
  ...audioRoutes,
  ...exportRoutes,
  ...ticketRoutes,
  ...openRoutes,
  ...tusRoutes,
  ...audioDeviceRoutes,
  ...callRoutes,
  ...modelRoutes,
];
