import { describe, expect, it } from 'vitest'
import { alertOf } from '../../../../../domain/observability/alerts/alert-of.ts'
import { fillTemplate, templateFault } from '../../../../../domain/observability/alerts/template.ts'

describe('a template', () => {
  it.each([
    ['plain', 'plain'],
    ['{{ $value }}', '7'],
    ['{{$value}} of {{$labels.job}}', '7 of api'],
    ['{{ $labels.absent }}!', '!'],
    ['{{ $labels.toString }}!', '!'],
    ['}} {', '}} {'],
    ['{{{ $value }}}', '{7}'],
    ['{{\t$labels.job }}{{ $labels.job }}', 'apiapi'],
  ])('%j becomes %j', (template, filled) => {
    expect(templateFault(template)).toBeUndefined()
    expect(fillTemplate(template, { job: 'api' }, '7', 100)).toBe(filled)
  })

  it.each([
    ['{{ .Value }}', 0],
    ['a {{ $value | humanize }}', 2],
    ['{{ $value }} {{ $labels["job"] }}', 13],
    ['{{ $labels.a-b }}', 0],
    ['ok {{', 3],
  ])('%j has a fault at position %i', (template, position) => {
    expect(templateFault(template)).toContain(`position ${position} `)
  })

  it('does not fill in what a label holds', () => {
    expect(fillTemplate('{{ $labels.job }}', { job: '{{ $value }}' }, '7', 100)).toBe('{{ $value }}')
  })

  it('is cut if labels make it long', () => {
    const filled = fillTemplate('{{ $labels.a }}'.repeat(100), { a: 'x'.repeat(2048) }, '', 8192)
    expect(filled).toHaveLength(8193)
    expect(filled.endsWith('…')).toBe(true)
  })
})

it('labels of the rule win over labels of the element, and labels of the platform over both', () => {
  const rule = {
    id: 'r',
    name: 'down',
    severity: 'OBSERVABILITY_ALERT_SEVERITY_CRITICAL',
    alert_labels: { team: 'a', job: '{{ $labels.job }}-x', gone: '' },
    annotations: { note: '{{ $labels.__name__ }}' },
  } as const
  const element = { __name__: 'up', job: 'j', severity: 'none', alertname: 'other', gone: 'here' }
  const { annotations, labels } = alertOf(rule, { labels: element, value: '1' })
  expect(labels).toEqual({ team: 'a', job: 'j-x', alertname: 'down', alert_rule_id: 'r', severity: 'critical' })
  expect(annotations).toEqual({ note: 'up' })
})
