/** Has the browser save a file that was answered. */
export function saveFile(blob: unknown, name: string): void {
  if (!(blob instanceof Blob)) return;
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  // Once it is being saved.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
