import { createHash } from 'node:crypto';
import { PROBLEMS, type ProblemCode } from '../http/problems.js';
import type { OpenApiDocument } from './document.js';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #d5dae0 }
code, pre { font: 14px/1.45 ui-monospace, monospace }
pre { background: #f5f7f9; padding: .75rem; overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #e6e9ed }
summary { cursor: pointer; padding: .35rem 0 }
.method { display: inline-block; min-width: 4rem; font-weight: 600 }
.quiet { color: #57606a }
@media (prefers-color-scheme: dark) {
  body { color: #e6e9ed; background: #14181d } pre { background: #1e242b } h2, td, th { border-color: #333c46 } .quiet { color: #9aa5b1 }
}
`;

/** The page holds one style and nothing else that a browser could run or fetch. */
export const docsContentPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'`;

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: unknown;
  }[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, { description: string; content?: unknown }>>;
}

/** The document as one page to read. */
export function renderDocs(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  );
  const tags = new Set(operations.map(({ operation }) => operation.tags?.[0]));
  const sections = [...tags].map((tag = 'other') => {
    const members = operations.filter(({ operation }) => operation.tags?.[0] === tag);
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>\n${members.map(renderOperation).join('\n')}`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Fairlane API</title><style>${style}</style></head>
<body>
<h1>Fairlane API</h1>
<p>Send <code>Authorization: Bearer TOKEN</code>. Errors are <code>application/problem+json</code> with a stable
<code>code</code>. For programs: <a href="openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
<h2 id="problems">problems</h2>
<table><tr><th>code</th><th>status</th><th>meaning</th></tr>
${(Object.keys(PROBLEMS) as ProblemCode[]).map(renderProblem).join('\n')}
</table>
<h2 id="schemas">schemas</h2>
${Object.entries(document.components?.schemas ?? {})
  .map(renderSchema)
  .join('\n')}
</body>
</html>
`;
}

function renderOperation({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}): string {
  const parameters = (operation.parameters ?? []).map(
    (parameter) =>
      `<tr><td><code>${escape(parameter.name)}</code></td><td>${escape(parameter.in)}${parameter.required ? ', required' : ''}</td><td>${escape(parameter.description ?? '')}</td></tr>`,
  );
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, response]) =>
      `<tr><td><code>${escape(status)}</code></td><td>${inlineCode(response.description)}</td></tr>`,
  );
  return `<details id="${escape(operation.operationId ?? path)}">
<summary><span class="method">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code> <span class="quiet">${escape(operation.summary ?? '')}</span></summary>
<p>${escape(operation.description ?? '')}</p>
${parameters.length > 0 ? `<table>${parameters.join('')}</table>` : ''}
${operation.requestBody === undefined ? '' : `<p>Body:</p>${renderJson(operation.requestBody)}`}
<table>${responses.join('')}</table>
</details>`;
}

function renderProblem(code: ProblemCode): string {
  const { status, title } = PROBLEMS[code];
  return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escape(title)}</td></tr>`;
}

function renderSchema([name, schema]: [string, unknown]): string {
  return `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>${renderJson(schema)}</details>`;
}

function renderJson(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`;
}

function inlineCode(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
