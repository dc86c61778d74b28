/** What people share with each other, as somebody would keep it in mind: no recording of it, only the rules. */

export type Right = { role: 'read' | 'correct' | 'owner'; audio: boolean };
type Given = Omit<Right, 'role'> & { role: 'read' | 'correct' };

export type Note = {
  id: string;
  /** A word of its title that is in no other. */
  word: string;
  owner: string;
  folder: string | null;
  access: Map<string, Given>;
  /** Tokens of its links, by their ids. */
  links: Map<string, string>;
};
export type Folder = { id: string; owner: string; access: Map<string, Given> };

export class Model {
  readonly notes = new Map<string, Note>();
  readonly folders = new Map<string, Folder>();
  /** Members by the group's name. */
  readonly groups = new Map<string, Set<string>>();

  /** What somebody may do with a note: their own, or the most that was given to them or to a group of theirs. */
  rightOf(who: string, note: Note): Right | null {
    if (note.owner === who) return { role: 'owner', audio: true };
    const names = [
      who,
      ...[...this.groups].filter(([, all]) => all.has(who)).map(([name]) => name),
    ];
    const folder = note.folder === null ? undefined : this.folders.get(note.folder);
    const given = names.flatMap((name) => [
      ...(note.access.get(name) ? [note.access.get(name)!] : []),
      ...(folder?.owner === note.owner && folder.access.get(name)
        ? [folder.access.get(name)!]
        : []),
    ]);
    if (given.length === 0) return null;
    return {
      role: given.some(({ role }) => role === 'correct') ? 'correct' : 'read',
      audio: given.some(({ audio }) => audio),
    };
  }

  /** Ids of all notes that somebody may read. */
  readable(who: string): string[] {
    return [...this.notes.values()]
      .filter((note) => this.rightOf(who, note) !== null)
      .map(({ id }) => id);
  }

  /** What the former owner said of it ends. */
  handOver(note: Note, to: string): void {
    note.owner = to;
    note.folder = null;
    note.access.clear();
    note.links.clear();
  }
}
