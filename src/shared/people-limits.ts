/** How many people may be named for a recording, and how long a name may be: said by the page before anything is sent. */
export const namesMax = 50;
export const personNameMax = 60;
/** Characters of a title that a person gives. */
export const titleMax = 200;
