/**
 * Bull Board has one switch for all actions of a queue. Of those it offers on a failed job only the first,
 * retry, is allowed here; the server refuses the others in any case, this only keeps them out of sight.
 * Its class names end in a hash, hence the match on how they begin; the element names outweigh its own rules.
 */
export const actionsStylesheet = `
ul[class^='queueActions-'],
ul[class^='jobActions-'] > li:not(:first-child),
body:has(ul[class^='jobActions-']) div[class^='trailing-'] > button[aria-haspopup='menu'] {
  display: none;
}
`;
