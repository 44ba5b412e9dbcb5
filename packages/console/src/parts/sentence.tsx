/** What the server says of an account: what holds it, and on a second line what waits for a person. */
export function Sentence({ text }: { text: string }) {
  const [first, ...others] = text.split('\n');
  return (
    <>
      {first}
      {others.map((line) => (
        <span key={line} className="second-line">
          {' '}
          {line}
        </span>
      ))}
    </>
  );
}
