#!/usr/bin/env node

// LevelDB and others make files with the process's mask: all of them are private.
process.umask(0o077);

// The service needs no parser of command lines, which would take longer to load than it saves.
const [command, ...rest] = process.argv.slice(2);
const serving = command === 'serve' && rest.length === 0;
try {
  if (serving) await (await import('./serve.ts')).serve();
  else await (await import('./program.ts')).runProgram();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
