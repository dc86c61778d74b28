/** What the unit is made from; all paths absolute. */
export type UnitInput = {
  node: string;
  /** The compiled command line, `dist/src/cli/mitschrift.js`. */
  program: string;
  dataDir: string;
  /** `MITSCHRIFT_*` variables to keep, without the data directory. Secrets do not belong here. */
  environment: Readonly<Record<string, string>>;
};

/** The unit's name, for `systemctl --user`. */
export const unitName = 'mitschrift.service';

/**
 * A systemd user unit, systemd.service(5) and systemd.exec(5). A user unit, because sound belongs to the
 * user's session. `KillMode=process`: a capture is a process of its own that outlives the service, and
 * stopping the unit must not end it. `OOMPolicy=continue`: where the kernel ends a process that needed too
 * much memory, a capture or a recogniser, the service stays, to start it again. The hardening leaves what sound needs: the runtime directory with
 * the audio server's socket, and shared memory.
 */
export function unitText({ node, program, dataDir, environment }: UnitInput): string {
  const variables = { MITSCHRIFT_DATA: dataDir, ...environment };
  return `[Unit]
Description=Mitschrift: records people talking and turns it into written notes
Documentation=file:${escapeWord(program.replace(/dist\/src\/cli\/[^/]+$/, 'README.md'))}
After=sound.target
# Ten failures within ten minutes: something is wrong that starting again does not mend.
StartLimitIntervalSec=600
StartLimitBurst=10

[Service]
Type=exec
ExecStart=${escapeWord(node)} ${escapeWord(program)} serve
${Object.entries(variables)
  .map(([name, value]) => `Environment=${escapeWord(`${name}=${value}`)}`)
  .join('\n')}
# glibc keeps a heap a thread: over hours of audio a tenth more memory than with two of them.
Environment=MALLOC_ARENA_MAX=2
Restart=on-failure
RestartSec=2
# Finishes what is being written; what was acknowledged is on disk in any case.
TimeoutStopSec=20
KillMode=process
OOMPolicy=continue
UMask=0077
NoNewPrivileges=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RestrictRealtime=no
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
}

/** Quoted as systemd reads it: backslash, quote, and `%` and `$`, which would be expanded. */
function escapeWord(word: string): string {
  if (/[\n\r\0]/.test(word)) throw new RangeError('a unit cannot hold a line break');
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(word)
    ? `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    : escaped;
}
