/**
 * The answer, where it comes within `ms`; it is not called off when it does not.
 *
 * @throws what `late` makes when it has not come by then, else what the answer throws.
 */
export async function within<T>(answer: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
