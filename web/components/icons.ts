/** Icons of the design (24 × 24): strokes in the text's colour; parts of class `f` are filled. */
export const icons = {
  again: '<path d="M20 11a8 8 0 1 0-2 6M20 4v7h-7"/>',
  ask: '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5c0-3 5-3 5 0 0 2-2.5 2-2.5 4M12 16.8v.2"/>',
  away: '<path d="m3 3 18 18M5 12a10 10 0 0 1 4-2.700M8.500 15.500a5 5 0 0 1 5.500-1M2 8.500A14 14 0 0 1 6.500 6M11 5a14 14 0 0 1 11 3.500M12 19v.2"/>',
  back: '<path d="m14.500 5-7 7 7 7"/>',
  bin: '<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13"/>',
  check: '<path d="m5 12.500 4.500 4.500L19 7.500"/>',
  close: '<path d="M6 6l12 12M18 6 6 18"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.500 2"/>',
  disk: '<path d="M4 7c0-4 16-4 16 0v10c0 4-16 4-16 0zM4 7c0 4 16 4 16 0M4 12c0 4 16 4 16 0"/>',
  down: '<path d="m6 9.500 6 6 6-6"/>',
  download: '<path d="M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14"/>',
  filter: '<path d="M4 6h16M7 12h10M10 18h4"/>',
  folder: '<path d="M3 6h6l2 2.500h10V19H3z"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.800v.2"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  logOut: '<path d="M10 4H5v16h5M14 8l4 4-4 4M18 12H9"/>',
  loudspeaker: '<path d="M4 10v4h4l5 4V6L8 10zM16.500 9a4 4 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11"/>',
  mark: '<path d="M7 4h10v16l-5-4-5 4z"/>',
  merge: '<path d="M6 4v3c0 5 6 4 6 9v4M18 4v3c0 3-2.500 3.800-4 5"/>',
  microphone:
    '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5 11a7 7 0 0 0 14 0M12 18v3"/>',
  more: '<circle class="f" cx="5" cy="12" r="1.700"/><circle class="f" cx="12" cy="12" r="1.700"/><circle class="f" cx="19" cy="12" r="1.700"/>',
  note: '<path d="M6 3h9l4 4v14H6zM9 11h7M9 15h7"/>',
  on: '<path d="m9.500 5 7 7-7 7"/>',
  openElsewhere: '<path d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3"/>',
  pen: '<path d="m4 20 1-4L16 5l3 3L8 19z"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 4.800a3.500 3.500 0 0 1 0 6.400M18 14.500c2 .8 3.200 2.600 3.500 5.500"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  panel: '<path d="M4 5h16v14H4zM10 5v14M16 10l-2 2 2 2"/>',
  play: '<path class="f" d="M7 4.500v15l12.500-7.500z"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 5 5"/>',
  settings:
    '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
  shield: '<path d="M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z"/>',
  sidenote: '<path d="M4 6h10M4 11h7M4 16h5M13 19l1-3 6-6 2 2-6 6z"/>',
  skipBack:
    '<path d="M12 5a7.500 7.500 0 1 1-6.800 4.400M12 2v6L8 5z"/><text x="12" y="15.800" font-size="8" text-anchor="middle" fill="currentColor" stroke="none" font-weight="700">10</text>',
  skipOn:
    '<path d="M12 5a7.500 7.500 0 1 0 6.800 4.400M12 2v6l4-3z"/><text x="12" y="15.800" font-size="8" text-anchor="middle" fill="currentColor" stroke="none" font-weight="700">10</text>',
  copy: '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V4H4v12h4"/>',
  statechart:
    '<rect x="3" y="4" width="7" height="6" rx="1.500"/><rect x="14" y="14" width="7" height="6" rx="1.500"/><path d="M10 7h4a3 3 0 0 1 3 3v4"/>',
  skipPauses: '<path d="M4 12h3M17 12h3M10 6v12M14 6v12M7 9l3 3-3 3M17 9l-3 3 3 3"/>',
  stop: '<rect class="f" x="6" y="6" width="12" height="12" rx="1.5"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M18.400 5.600 17 7M7 17l-1.400 1.400"/>',
  tag: '<path d="M4 4h8l8.500 8.500-8 8L4 12zM8.500 8.500v.2"/>',
  undo: '<path d="M4 8h10a6 6 0 0 1 0 12H8M4 8l4-4M4 8l4 4"/>',
  upload: '<path d="M12 20V8M7.500 12 12 7.500 16.500 12M5 4h14"/>',
  warning: '<path d="M12 4 2.500 20h19zM12 10v5M12 17.500v.2"/>',
} as const;

export type IconName = keyof typeof icons;
