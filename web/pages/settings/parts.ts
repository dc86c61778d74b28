/** Parts of the settings page that are no groups of settings, by what `?part=` calls them. */
export const parts = ['people', 'groups', 'models', 'health', 'backup', 'happened'] as const;
export type Part = (typeof parts)[number];
