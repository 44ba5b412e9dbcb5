import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { go } from './paths.js';

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string };

/** A plain link that changes the page without loading it, unless the reader wants a new tab. */
export function Link({ href, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(href);
    window.scrollTo(0, 0);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
