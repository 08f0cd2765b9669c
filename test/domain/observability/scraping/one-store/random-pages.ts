import { type Random } from '../../../../areas/random.ts'

/** The media types of the formats. */
export const mediaTypes = {
  text: 'text/plain; version=0.0.4',
  open: 'application/openmetrics-text; version=1.0.0',
} as const

const names = ['a', 'http_requests_total', 'up:ratio', '_x', 'seconds_bucket', 'mem_bytes', 'x9']
const labels = ['a', 'b', 'le', 'quantile', '_z', 'code9']
const values = [
  '""',
  '"1"',
  '"0.5"',
  '"+Inf"',
  '"1e6"',
  '"a\\"b"',
  '"\\\\"',
  '"\\n"',
  '"\\x"',
  '"é漢"',
  '"{},="',
  '"1000000"',
  '"1000001"',
  '"123456789.25"',
  '"-0"',
  '"0.00001"',
  '"0.0001"',
]
const numbers = [
  '1',
  '-0',
  '+3',
  '1.5',
  '.5',
  '5.',
  '1e3',
  '1E-9',
  '1e400',
  'NaN',
  'nan',
  '-nan',
  '+Inf',
  '-inf',
  'infinity',
  '0x1',
  '1_0',
  '1p3',
  'e5',
  '',
  '9007199254740993',
  '4e-324',
  '1.7976931348623157e308',
]
const types = [
  'counter',
  'gauge',
  'histogram',
  'summary',
  'untyped',
  'unknown',
  'info',
  'stateset',
  'gaugehistogram',
  '',
  'counters',
]

/** Returns a page of a format that is mostly valid. */
export function randomPage(random: Random, format: keyof typeof mediaTypes): string {
  const lines = Array.from({ length: random.below(6) }, () => line(random, format))
  const end = format === 'open' && !random.percent(3) ? '# EOF\n' : ''
  const text = lines.map(each => `${each}\n`).join('') + end
  return random.percent(5) ? text.trimEnd() : text
}

function line(random: Random, format: keyof typeof mediaTypes): string {
  const kind = random.below(10)
  const name = random.percent(10) ? `"${random.oneOf(['my.name', 'a b', 'é', 'a\\"b', ''])}"` : random.oneOf(names)
  if (kind === 0) return `# HELP ${name} ${random.oneOf(['help', '', 'a\\\\b\\n', '\\"q\\"', 'é'])}`
  if (kind === 1) return `# TYPE ${name} ${random.oneOf(types)}`
  if (kind === 2 && format === 'open') return `# UNIT ${name} ${random.oneOf(['seconds', 'bytes', 'total', ''])}`
  if (kind === 2)
    return random.oneOf(['# a comment', '#', '#HELP a b', '# HELPER', '# TYPEx', '   ', '', '# HELP', '# TYPE'])
  return sample(random, format, name)
}

function sample(random: Random, format: keyof typeof mediaTypes, name: string): string {
  const gap = (): string => (format === 'text' && random.percent(30) ? random.oneOf([' ', '\t', '  ']) : '')
  const pairs = Array.from({ length: random.below(4) }, () => {
    const label = random.percent(8) ? `"${random.oneOf(['l.x', 'é', 'a'])}"` : random.oneOf(labels)
    return `${gap()}${label}${gap()}=${gap()}${random.oneOf(values)}${gap()}`
  })
  const isQuoted = name.startsWith('"')
  const inside = [...(isQuoted ? [name] : []), ...pairs].join(random.percent(3) ? ' ' : ',')
  const braces = inside === '' && random.percent(70) ? '' : `{${inside}${random.percent(10) ? ',' : ''}}`
  const time = random.percent(25)
    ? ` ${random.oneOf(format === 'text' ? ['1700000000000', '-1', '1.5', '99999999999999999999', '0'] : ['1700000000.123', '-1.5', 'NaN', '1e3', '0', 'x'])}`
    : ''
  const exemplar =
    format === 'open' && random.percent(15)
      ? ` # ${random.oneOf(['{}', '{trace_id="a"}', '{a="b",c="d"}', '{"a"}', '{a}'])} ${random.oneOf(numbers)}${random.percent(30) ? ' 1.5' : ''}`
      : ''
  return `${isQuoted ? '' : name}${gap()}${braces}${gap() || ' '}${random.oneOf(numbers)}${time}${gap()}${exemplar}`
}

/** Returns bytes of a page with a few bytes changed. */
export function mutated(random: Random, page: string): Buffer {
  const bytes = [...Buffer.from(page)]
  for (let i = random.below(3) + 1; i > 0; i -= 1) {
    const at = random.below(bytes.length + 1)
    const byte = random.oneOf([
      0x0a, 0x20, 0x09, 0x22, 0x5c, 0x23, 0x2c, 0x3d, 0x7b, 0x7d, 0x30, 0x61, 0x00, 0x0d, 0xff, 0xc3,
    ])
    if (random.percent(40)) bytes.splice(at, 1)
    else if (random.percent(50)) bytes.splice(at, 0, byte)
    else bytes[at] = byte
  }
  return Buffer.from(bytes)
}
