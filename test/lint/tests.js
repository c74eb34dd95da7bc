/**
 * Lint rules of oxlint for tests. `timing`: no verdict may depend on how long something takes. It finds sleeps, deadlines
 * below a minute and arithmetic or comparisons of clock readings. `test/support/until.ts` is the one place that may wait.
 * `only`: no test may silence others. Plain JavaScript, because oxlint loads it.
 */

const minute = 60_000
const timerNames = new Set(['setTimeout', 'setInterval'])
const namesOfDeadlines = /timeout|deadline|patience/i
const order = new Set(['<', '<=', '>', '>='])

const messages = {
  sleep: 'A test does not sleep: wait for what happens, by `until` of test/support/until.ts.',
  deadline: 'A deadline below a minute fails on a busy machine: leave it out, or use `patience`.',
  duration: 'A test does not compare durations: assert what happened, not how long it took.',
}

const timing = {
  meta: { type: 'problem', messages, schema: [] },
  create(context) {
    const report = (node, messageId) => context.report({ node, messageId })
    /** Names of variables that hold what a clock said. */
    const moments = new Set()
    const isMoment = (node) => readsClock(node) || (node.type === 'Identifier' && moments.has(node.name))
    return {
      ImportDeclaration(node) {
        if (!/^(node:)?timers(\/promises)?$/.test(node.source.value)) return
        for (const specifier of node.specifiers) {
          const { name } = specifier.imported ?? specifier.local
          if (name !== 'setImmediate') report(specifier, 'sleep')
        }
      },
      CallExpression(node) {
        const { callee, arguments: given } = node
        // Called, or passed on to what calls it.
        for (const one of [callee, ...given])
          if (one.type === 'Identifier' && timerNames.has(one.name)) report(one, 'sleep')
        if (isMember(callee, 'globalThis') && timerNames.has(callee.property.name)) report(node, 'sleep')
        if (isMember(callee, 'Atomics') && callee.property.name === 'wait' && given.length > 3)
          report(node, 'sleep')
        if (isMember(callee, 'AbortSignal') && callee.property.name === 'timeout' && isShort(given[0]))
          report(node, 'deadline')
      },
      Property(node) {
        if (namesOfDeadlines.test(nameOf(node.key)) && isShort(node.value)) report(node, 'deadline')
      },
      VariableDeclarator(node) {
        if (namesOfDeadlines.test(nameOf(node.id)) && isShort(node.init)) report(node, 'deadline')
        if (node.init && readsClock(node.init)) moments.add(nameOf(node.id))
      },
      AssignmentExpression(node) {
        if (readsClock(node.right)) moments.add(nameOf(node.left))
      },
      BinaryExpression(node) {
        const { left, right, operator } = node
        if (order.has(operator) && (isMoment(left) || isMoment(right))) report(node, 'duration')
        // The other way round it is a time in the past, such as that of an old record.
        if (operator === '-' && isMoment(right)) report(node, 'duration')
      },
    }
  },
}

function isMember(node, object) {
  return node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.object.name === object
}

function nameOf(node) {
  return node.type === 'Identifier' ? node.name : ''
}

/** A written number of milliseconds below a minute; 0 means none, and names of settings under test are no numbers. */
function isShort(node) {
  const milliseconds = valueOf(node)
  return milliseconds > 0 && milliseconds < minute
}

/** Of a number, or a product of numbers; else NaN. */
function valueOf(node) {
  if (node?.type === 'BinaryExpression' && node.operator === '*')
    return valueOf(node.left) * valueOf(node.right)
  return node?.type === 'Literal' && typeof node.value === 'number' ? node.value : NaN
}

/** `performance.now()`, `process.hrtime()` and `process.hrtime.bigint()`; `Date.now()` also gives records their time. */
function readsClock(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const { object, property } = node.callee
  if (property.name === 'hrtime' || object.property?.name === 'hrtime') return true
  return property.name === 'now' && (object.name === 'performance' || object.name === 'Date')
}

const only = {
  meta: {
    type: 'problem',
    messages: { only: '`only` silences all other tests of the process: remove it.' },
    schema: [],
  },
  create(context) {
    return {
      MemberExpression(node) {
        if (
          node.property.name === 'only' &&
          ['test', 'it', 'suite', 'describe'].includes(nameOf(node.object))
        )
          context.report({ node, messageId: 'only' })
      },
      Property(node) {
        if (nameOf(node.key) === 'only' && node.value.value === true)
          context.report({ node, messageId: 'only' })
      },
    }
  },
}

export default { meta: { name: 'tests' }, rules: { timing, only } }
