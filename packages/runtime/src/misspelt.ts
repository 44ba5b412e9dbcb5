/** Names that are ours alone, so that a near miss is a slip and not a variable of something else. */
const OWN = /^(FAIRLANE|WORKER)_/;
/** Letters changed, missing, added or swapped that still make a slip. */
const MAX_SLIPS = 2;

/**
 * Variables that nobody reads but were meant for one of `known`: `FAIRLANE_LEGDER` would leave the ledger where it is
 * by default, without a word. Unlike names are left alone: Kubernetes makes some after services, such as
 * `WORKER_SERVICE_HOST`.
 */
export function findMisspelt(
  names: readonly string[],
  known: readonly string[],
): { readonly name: string; readonly meant: string }[] {
  const ours = known.filter((name) => OWN.test(name));
  return names.flatMap((name) => {
    if (!OWN.test(name) || known.includes(name)) return [];
    const meant = ours.find((one) => one.startsWith(`${name}_`) || slips(name, one) <= MAX_SLIPS);
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** Edits that make one text of the other, a swap of neighbours counting as one. */
function slips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      let edits = Math.min(
        at(last, column) + 1,
        at(line, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      }
      line.push(edits);
    }
    beforeLast = last;
    last = line;
  }
  return last[b.length] ?? Infinity;
}

function at(cells: readonly number[], index: number): number {
  return cells[index] ?? Infinity;
}
