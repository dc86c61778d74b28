/**
 * The command that runs a program with faults in its system calls (strace 6, Linux). Calls are counted
 * a thread. https://man7.org/linux/man-pages/man1/strace.1.html, "Tampering".
 * @param inject such as `fdatasync:error=EIO:when=5`
 * @param paths only calls on these files; all when absent
 */
export function strace(inject: string, paths: readonly string[] = []): string[] {
  const [calls] = inject.split(':');
  const quiet = '-f -qqq -o /dev/null -e signal=none'.split(' ');
  // With it the program is stopped at these calls only; but strace 6.1 injects no signals then.
  if (!inject.includes('signal=')) quiet.push('--seccomp-bpf');
  const only = paths.flatMap((path) => ['-P', path]);
  return ['strace', ...quiet, '-e', `trace=${calls}`, '-e', `inject=${inject}`, ...only];
}
