import { expect, it } from 'vitest'
import type { FormRule } from '../../runtime/form-rules.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { AreaModule } from '../../server/area.ts'
import type { MountedArea } from '../../server/area-declaration.ts'
import { areas } from '../../server/areas.ts'
import { absentId } from '../areas/members.ts'
import { baseUrl } from '../areas/open-platform.ts'
import { testPlatform } from '../areas/test-platform.ts'
import { faultyForms } from './faulty-forms.ts'

/** A field that no body has. */
const unknown = 'nothing_of_the_kind'

/** An operation whose body has rules beyond its schema. */
interface Ruled {
  readonly name: string
  readonly route: BoundRoute['route']
  readonly rules: readonly FormRule[]
}

/** Returns the areas of the server, and the list of the operations with rules, which the mounting of the areas fills. */
function listening(): { readonly ruled: Ruled[]; readonly heard: readonly AreaModule[] } {
  const ruled: Ruled[] = []
  const heard = areas.map((area): AreaModule => {
    const mount: AreaModule['mount'] = (...parts): MountedArea => {
      const mounted = area.mount(...parts)
      for (const { route } of mounted.routes) {
        const rules = mounted.forms?.[route.operationId]
        if (rules) ruled.push({ name: `${area.domain.name}.${route.operationId}`, route, rules })
      }
      return mounted
    }
    return { ...area, mount }
  })
  return { ruled, heard }
}

/** The members of a refusal that the test reads. */
interface Refusal {
  readonly details?: readonly {
    readonly reason?: string
    readonly field_violations?: readonly { readonly field: string }[]
  }[]
}

it('the faults of a body that only its area knows are reported together with the faults of its schema', async () => {
  const { heard, ruled } = listening()
  const platform = await testPlatform({ areas: heard })
  const { api, token } = await platform.admin()
  const { resource_id: organisation } = await api.taxonomy.createOrganisation({ body: { name: 'acme' } })
  const { resource_id: workspace } = await api.taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  expect(Object.keys(faultyForms).toSorted()).toEqual(ruled.map(({ name }) => name).toSorted())

  for (const { name, route, rules } of ruled) {
    const ids: Readonly<Record<string, string>> = {
      workspace,
      engine: 'native',
      scope_type: 'WORKSPACE',
      scope_id: workspace,
    }
    const path = route.path.map((part, i) => (i % 2 === 0 ? part : (ids[part] ?? absentId))).join('')
    const broken = new Set<FormRule>()
    for (const members of faultyForms[name] ?? []) {
      const expected = rules.flatMap(rule => {
        const faults = [...rule.faults(members, Date.now())]
        if (faults.length > 0) broken.add(rule)
        return faults.map(({ field }) => field)
      })
      const answer = await platform.from('192.0.2.7')(`${baseUrl}${path}`, {
        method: route.method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...members, [unknown]: 1 }),
      })
      const { details = [] }: Refusal = await answer.json()
      const fields = details.flatMap(({ field_violations = [] }) => field_violations.map(({ field }) => field))
      expect({ name, reason: details[0]?.reason, fields }).toEqual({
        name,
        reason: 'FIELD_INVALID',
        fields: expect.arrayContaining([unknown, ...expected]),
      })
    }
    expect({ name, unbroken: rules.filter(rule => !broken.has(rule)).map(({ reads }) => reads) }).toEqual({
      name,
      unbroken: [],
    })
  }
})
