import type { BoardLocals } from '../http/locals.js';
import { problemTitle, type ProblemCode } from '../http/problem.js';

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box; }
  main { width: min(20rem, 90vw); }
  h1 { font-size: 1.25rem; margin: 0 0 1rem; }
  label { display: block; margin-top: .75rem; font-size: .875rem; }
  input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid GrayText; border-radius: .25rem; }
  button { margin-top: 1.25rem; padding: .5rem 1rem; width: 100%; font: inherit; font-weight: 600; cursor: pointer; }
  [role=alert] { margin: 0; padding: .5rem .75rem; border-left: .25rem solid #c0392b; }
`;

export function logInPage(
  { basePath, nonce }: BoardLocals,
  { next, problem }: { next: string; problem?: ProblemCode },
): string {
  const alert = problem ? `<p role="alert">${escapeHtml(problemTitle(problem))}</p>` : '';
  return page({
    title: 'Sign in',
    nonce,
    content: `${alert}
      <form method="post" action="${basePath}/login">
        <input type="hidden" name="next" value="${escapeHtml(next)}">
        <label for="user">User</label>
        <input id="user" name="user" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required>
        <button type="submit">Sign in</button>
      </form>`,
  });
}

export function logOutPage({ basePath, nonce, session }: BoardLocals): string {
  return page({
    title: 'Sign out',
    nonce,
    content: `
      <p>Signed in as <strong>${escapeHtml(session?.user ?? '')}</strong> (${session?.role ?? ''}).</p>
      <form method="post" action="${basePath}/logout">
        <input type="hidden" name="csrf" value="${session?.csrfToken ?? ''}">
        <button type="submit">Sign out</button>
      </form>
      <p><a href="${basePath}/queues">Back to the queues</a></p>`,
  });
}

function page({ title, nonce, content }: { title: string; nonce: string; content: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Fairlane</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
</head>
<body><main><h1>Fairlane · ${title.toLowerCase()}</h1>${content}</main></body>
</html>
`;
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
