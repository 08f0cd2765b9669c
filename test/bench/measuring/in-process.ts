import { createHmac } from 'node:crypto'
import findMyWay from 'find-my-way'
import { operationsList } from '../../../output/taxonomy/filters.ts'
import { checkCreateOrganisationRequest as check } from '../../../output/taxonomy/validators.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { matches } from '../../../runtime/filter/evaluate.ts'
import { parseFilter } from '../../../runtime/filter/parse.ts'
import { pageTokens } from '../../../runtime/page-token.ts'
import { buildRouter } from '../../../runtime/routing.ts'
import { Faults } from '../../../runtime/validation.ts'
import { fill, foreignOperations, namesOf, partsOf, platformOperations } from '../../runtime/many-routes.ts'
import { route } from '../../runtime/routes.ts'
import type { Contender } from './rounds.ts'

/** Contenders that are compared with the first contender of the group. */
export interface Group {
  readonly title: string
  readonly contenders: readonly Contender[]
}

/** Makes a contender of a function that is called once per unit. */
const once = (name: string, run: () => unknown): Contender => ({ name, run, units: 1 })

const id = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'

/** Returns the contenders that match a path of each operation once; ids fill the parameters of the paths. */
export function routerGroup(): Group {
  const operations = [...platformOperations, ...foreignOperations]
  const ours = buildRouter(operations.map(({ method, template }) => ({ route: route(method, partsOf(template)) })))
  const theirs = findMyWay()
  for (const { method, template } of operations) {
    // In the syntax of find-my-way, a parameter before a verb needs an expression, and `::` stands for a colon.
    const parts = partsOf(template).map((part, index, all) => {
      if (index % 2 === 0) return part.replaceAll(':', '::')
      return all[index + 1]?.startsWith(':') ? `:p${index}([^/:]+)` : `:p${index}`
    })
    theirs.on(method, parts.join(''), () => undefined)
  }
  // The methods and paths are new strings from JSON text, as they are in requests.
  const calls: readonly { readonly method: 'GET'; readonly path: string }[] = JSON.parse(
    JSON.stringify(
      operations.map(({ method, template }) => ({
        method,
        path: fill(
          template,
          namesOf(template).map(() => id),
        ),
      })),
    ),
  )
  const each = (name: string, run: (method: 'GET', path: string) => unknown): Contender => ({
    name,
    units: calls.length,
    run: () => {
      let found = 0
      for (const { method, path } of calls) if (run(method, path)) found += 1
      if (found !== calls.length) throw new Error(`${name} found ${found} of ${calls.length}`)
      return found
    },
  })
  return {
    title: `a path among ${operations.length} routes`,
    contenders: [
      each('find-my-way', (method, path) => theirs.find(method, path)),
      each('buildRouter', (method, path) => ours.match(method, path).kind === 'found'),
      each('path.split("/") alone', (_, path) => path.split('/')),
    ],
  }
}

const text = 'status = TAXONOMY_OPERATION_STATUS_DONE AND progress < 100'

/**
 * Returns the contenders for a filter: its parsing and check, and its evaluation on a row that satisfies every
 * comparison except the last.
 */
export function filterGroups(): readonly Group[] {
  const row = { id, status: 'TAXONOMY_OPERATION_STATUS_DONE', progress: 100, insert_time: '2026-01-31T12:00:00.000Z' }
  const filter = checkFilter(text, operationsList)
  const times = 'insert_time >= 2026-01-31T12:00:00+01:00 AND resource_id = "a*"'
  return [
    {
      title: `a filter of ${text.length} characters`,
      contenders: [
        once('JSON.parse of the same as JSON', () => JSON.parse(`{"status":"DONE","progress":{"below":100}}`)),
        once('parseFilter', () => parseFilter(text)),
        once('checkFilter, which parses it', () => checkFilter(text, operationsList)),
        once('checkFilter with a time and a wildcard', () => checkFilter(times, operationsList)),
      ],
    },
    {
      title: 'the filter on a row',
      contenders: [
        once('by hand', () => row.status === 'TAXONOMY_OPERATION_STATUS_DONE' && row.progress < 100),
        once('matches', () => filter && matches(filter, row)),
      ],
    },
  ]
}

/** Returns the contenders that sign and open the page token of a list that is sorted by one field. */
export function tokenGroup(): Group {
  const mac = (scope: string) => createHmac('sha256', 'a key of the installation').update(scope).digest('binary')
  const tokens = pageTokens(mac)
  const scope = JSON.stringify([`/compute/v1/workspaces/${id}/engines/native/vms?[]`, 20, text, 'name desc', ['name']])
  const keys = ['db-17', id]
  const token = tokens.sign(scope, keys)
  return {
    title: 'a page token',
    contenders: [
      once('one HMAC of the call', () => mac(scope)),
      once('sign', () => tokens.sign(scope, keys)),
      once('open', () => tokens.open(scope, token)),
    ],
  }
}

/** Returns the contenders for the generated check of a request with a body of a usual size. */
export function validatorGroup(): Group {
  const body = {
    name: 'acme',
    display_name: 'Acme Limited',
    description: 'Makes everything.',
    labels: { env: 'prod', team: 'core', cost_center: '4711' },
  }
  const sent = JSON.stringify({ body })
  const valid: unknown = JSON.parse(sent)
  const faulty: unknown = JSON.parse(JSON.stringify({ body: { ...body, name: 'Acme!', colour: 1 } }))
  if (!check(valid, new Faults()) || check(faulty, new Faults()))
    throw new Error('the examples are no longer a valid and a faulty request')
  return {
    title: 'the request of createOrganisation',
    contenders: [
      once('JSON.parse of its body', () => JSON.parse(sent)),
      once('check, nothing wrong', () => check(valid, new Faults())),
      once('check, two faults', () => check(faulty, new Faults())),
    ],
  }
}
