import { isOutsideModule, OUTSIDE_GLOBALS } from './outside-modules.mjs';

/** @typedef {any} Node what the parser gives; its types are not those of oxlint's rules */
/** @typedef {any} Variable a variable of the scope manager */

const EFFECT_FUNCTIONS = new Set(['perform', 'alreadyApplied']);
const REASON = /^\s*outside an effect: \S.{8,}/;

/**
 * A handler may be started again at any time: after a crash, a time-out, a lost lease. What it does outside is done
 * once only where `ctx.effect` guards it, so everything that reaches outside has to be inside of a function of an
 * effect, or in one that is called from there alone.
 */
export const outsideEffects = {
  meta: {
    type: /** @type {const} */ ('problem'),
    messages: {
      unguarded:
        '{{what}} reaches outside without ctx.effect, so a retry or a crash does it again. Move it into `perform` of an effect; where a repeat does no harm, as with a read, say why in a comment above: `// outside an effect: ...`',
    },
  },

  /** @param {any} context */
  create(context) {
    const { sourceCode } = context;

    /** @param {Node} node */
    function check(node) {
      const what = whatIsReached(node.callee);
      if (what === undefined || isGuarded(node, new Set()) || hasReason(node)) return;
      context.report({ node, messageId: 'unguarded', data: { what } });
    }

    /**
     * Name of what is called outside, if it is outside: a global, an import of a client, or what came out of one.
     * @param {Node} callee
     * @returns {string | undefined}
     */
    function whatIsReached(callee) {
      const root = rootOf(callee);
      if (root?.type !== 'Identifier') return undefined;
      const text = sourceCode.getText(callee).split('\n', 1)[0];
      const variable = variableOf(root);
      if (variable === undefined || variable.defs.length === 0) {
        const name = root.name === 'globalThis' ? callee.property?.name : root.name;
        return OUTSIDE_GLOBALS.has(name) ? text : undefined;
      }
      return comesFromOutside(variable, new Set()) && isReach(callee) ? text : undefined;
    }

    /**
     * Whether a variable is an import of a client, or was made by one.
     * @param {Variable} variable
     * @param {Set<Variable>} seen
     * @returns {boolean}
     */
    function comesFromOutside(variable, seen) {
      if (seen.has(variable)) return false;
      seen.add(variable);
      const [definition] = variable.defs;
      if (definition.type === 'ImportBinding') {
        return isOutsideModule(definition.parent.source.value);
      }
      const value = definition.node.type === 'VariableDeclarator' ? definition.node.init : undefined;
      const made = value?.type === 'AwaitExpression' ? value.argument : value;
      if (made?.type !== 'NewExpression' && made?.type !== 'CallExpression') return false;
      const maker = rootOf(made.callee);
      const from = maker?.type === 'Identifier' ? variableOf(maker) : undefined;
      return from !== undefined && from.defs.length > 0 && comesFromOutside(from, seen);
    }

    /**
     * Whether a node stands in a function of an effect, or in one that is used from such functions alone.
     * @param {Node} node
     * @param {Set<Node>} seen
     * @returns {boolean}
     */
    function isGuarded(node, seen) {
      for (let at = node; at !== null; at = at.parent) {
        if (isEffectFunction(at)) return true;
        if (!isFunction(at) || seen.has(at)) continue;
        const references = referencesOf(at);
        if (references.length === 0) continue;
        const next = new Set(seen).add(at);
        if (references.every((/** @type {Node} */ reference) => isGuarded(reference, next))) return true;
      }
      return false;
    }

    /**
     * Uses of a function that has a name.
     * @param {Node} node
     * @returns {Node[]}
     */
    function referencesOf(node) {
      const isNamed = node.type === 'FunctionDeclaration' || node.parent.type === 'VariableDeclarator';
      if (!isNamed) return [];
      const declared = sourceCode.getDeclaredVariables(
        node.type === 'FunctionDeclaration' ? node : node.parent,
      );
      const name = node.type === 'FunctionDeclaration' ? node.id?.name : node.parent.id.name;
      const variable = declared.find((/** @type {Variable} */ one) => one.name === name);
      const references = variable?.references ?? [];
      return references
        .filter((/** @type {any} */ reference) => reference.isRead())
        .map((/** @type {any} */ reference) => reference.identifier);
    }

    /** @param {Node} identifier */
    function variableOf(identifier) {
      for (let scope = sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
        const variable = scope.set.get(identifier.name);
        if (variable !== undefined) return variable;
      }
      return undefined;
    }

    /** @param {Node} node */
    function hasReason(node) {
      let line = node.loc.start.line;
      // Of the statement: what is called may stand on a later line of it.
      for (let at = node; at !== null && !/Statement$|Declaration$/.test(at.type); at = at.parent) {
        line = Math.min(line, at.parent?.loc.start.line ?? line);
      }
      return sourceCode
        .getAllComments()
        .some(
          (/** @type {any} */ comment) =>
            REASON.test(comment.value) && comment.loc.end.line >= line - 1 && comment.loc.end.line <= line,
        );
    }

    return {
      CallExpression: check,
      /** @param {Node} node */
      NewExpression(node) {
        if (OUTSIDE_GLOBALS.has(node.callee.name)) check(node);
      },
    };
  },
};

/**
 * `http` of `http.request`; what a call gives back is looked at with that call.
 * @param {Node} node
 * @returns {Node}
 */
function rootOf(node) {
  if (node?.type === 'MemberExpression') return rootOf(node.object);
  if (node?.type === 'ChainExpression') return rootOf(node.expression);
  return node;
}

/**
 * Making a client is not: most connect when they are first used.
 * @param {Node} callee
 */
function isReach(callee) {
  const name = callee.type === 'MemberExpression' ? callee.property.name : callee.name;
  return name === 'createConnection' || !/^(create|[A-Z]|default$)/.test(name ?? '');
}

/** @param {Node} node */
function isFunction(node) {
  return /Function/.test(node.type);
}

/**
 * The value of `perform` or `alreadyApplied` in the second argument of `effect(...)`.
 * @param {Node} node
 */
function isEffectFunction(node) {
  const property = node.parent;
  if (property?.type !== 'Property' || property.value !== node) return false;
  if (!EFFECT_FUNCTIONS.has(property.key.name ?? property.key.value)) return false;
  const options = property.parent;
  const call = options.parent;
  if (call?.type !== 'CallExpression' || call.arguments[1] !== options) return false;
  const name = call.callee.type === 'MemberExpression' ? call.callee.property.name : call.callee.name;
  return name === 'effect';
}
