import { problemsOfLogins } from './problems-of-logins.ts';
import { problemsOfLoginsInGerman } from './problems-of-logins.de.ts';
import { problemsOfRequests } from './problems-of-requests.ts';
import { problemsOfRequestsInGerman } from './problems-of-requests.de.ts';
import { problemsOfServer } from './problems-of-server.ts';
import { problemsOfServerInGerman } from './problems-of-server.de.ts';
import { sayingsOf } from './sentences.ts';

/** What each type of problem says: its title, and its sentence where no detail says more. */
export const problems = { ...problemsOfRequests, ...problemsOfLogins, ...problemsOfServer };

export const problemsInGerman = {
  ...problemsOfRequestsInGerman,
  ...problemsOfLoginsInGerman,
  ...problemsOfServerInGerman,
};

/** What a type of problem says by itself, with what varies in it. */
export const problemOf = sayingsOf(problems, 'problem');
