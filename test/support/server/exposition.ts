/** Reads the text that Prometheus scrapes, strictly: what is not in the format is an error. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposition {
  readonly samples: readonly Sample[]
  /** By name of metric. */
  readonly types: ReadonlyMap<string, string>
  /** The value of the only sample with that name and these labels among its own; undefined without one. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

export function parseExposition(text: string): Exposition {
  const samples: Sample[] = []
  const types = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} comes twice.`)
      types.set(typed, type)
    } else samples.push(parseSample(line))
  }
  const value: Exposition['value'] = (name, labels = {}) => {
    const found = samples.filter(
      (one) =>
        one.name === name && Object.entries(labels).every(([key, wanted]) => one.labels[key] === wanted),
    )
    if (found.length > 1) throw new Error(`There are ${found.length} samples of ${name}.`)
    return found[0]?.value
  }
  return { samples, types, value }
}

function parseSample(line: string): Sample {
  const [, name, braces = '', value] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`This is no sample: ${line}`)
  const labels = Array.from(braces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, key = '', text = '']) => [
    key,
    text.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign)),
  ])
  const number = value === '+Inf' ? Infinity : Number(value)
  if (Number.isNaN(number) && value !== 'Nan' && value !== 'NaN')
    throw new Error(`This is no number: ${line}`)
  return { name, labels: Object.fromEntries(labels), value: number }
}
