/** Returns the id of a heading as forges make it, so that a link to it works there and on the site. */
export function headingId(text) {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
