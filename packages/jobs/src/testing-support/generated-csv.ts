const LINES_PER_CHUNK = 1_000;

/** One line in so many has a field too many. */
export const WRONG_EVERY = 1_000;

/** A file of so many rows, made as it is read. The first of each thousand is wrong. */
export async function* generatedCsv(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('id,name,amount\n');
  for (let row = 0; row < rows;) {
    let text = '';
    for (const end = Math.min(row + LINES_PER_CHUNK, rows); row < end; row += 1) {
      text +=
        row % WRONG_EVERY === 0 ? `${row},too,many,fields\n` : `${row},"Lead, number ${row}",${row * 3}.50\n`;
    }
    yield Buffer.from(text);
  }
}
