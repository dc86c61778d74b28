/** Longest name of a file, in UTF-8 bytes, that Linux, macOS and Windows file systems all take. */
export const nameBytesMax = 255;

/** Characters that some system or an Obsidian link gives a meaning to: never in a name of ours. */
export const unsafeCharacters = /[\\/:*?"<>|#^[\]~]/u;

/**
 * Names that Windows keeps for devices, whatever follows a first dot ("Naming Files, Paths, and
 * Namespaces", Microsoft). The superscript digits count as digits there.
 */
export const isReservedOnWindows = (name: string): boolean =>
  /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/iu.test(name);

/**
 * The form in which two names are compared. File systems disagree about case (`ß` and `SS` are one
 * name on APFS) and about composed letters; this form is equal wherever any of them says so.
 */
export const comparable = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
