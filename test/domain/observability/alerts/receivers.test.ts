import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { observabilityArea } from '../../../../server/observability/area.ts'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { areas } from '../../../../server/areas.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { outcomeOf } from '../../outcomes.ts'
import { AlertWorld, downRule, eventually } from './served-alerts.ts'
import { afterTests } from '../../../undo.ts'

/** The only private network to which notifications may go. */
const allowed = '127.0.0.1/32'

const world = new AlertWorld()
const requests: string[] = []
let origin = ''
let create: (url: string, name?: string) => Promise<string>
let lastError: (id: string) => Promise<string | undefined>

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.writeHead(302, { location: `${origin}/elsewhere` }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterTests(() => {
    server.closeAllConnections()
    server.close()
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], [allowed])
  const platform = await testPlatform({
    areas: areas.map(area => (area.domain.name === 'observability' ? observabilityArea(world.measured()) : area)),
    config: { given },
    later: afterTests,
  })
  const { api } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const path = { workspace, engine: 'native' }
  let names = 0
  create = async (url, name = `rule-${(names += 1)}`) => {
    const body = { ...downRule, name, for: '0s', receivers: [{ name: 'hook', webhook: { url } }] }
    return (await api.observability.createAlertRule({ ...path, body })).resource_id
  }
  lastError = async id => (await api.observability.getAlertRule({ ...path, id })).deliveries[0]?.last_error
})

describe('the URL of a webhook', () => {
  it.each([
    'http://alerts.example/hook',
    'http://203.0.113.7/hook',
    'http://127.0.0.2/hook',
    'http://[::1]/hook',
    'http://[::ffff:127.0.0.2]/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://0x7f000002/',
    'http://2130706434/',
    'http://0177.0.0.2/',
    'https://127.0.0.2/hook',
    'https://10.1.2.3/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://100.64.0.1/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://0.0.0.0/',
    'ftp://alerts.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('%s is refused', async url => {
    expect(await outcomeOf(create(url))).toMatch(/^(?:RECEIVER_URL_FORBIDDEN|FIELD_INVALID)$/)
  })

  it.each(['https://alerts.example/hook', 'https://203.0.113.7:8443/hook', 'http://127.0.0.1:9/hook'])(
    '%s is taken',
    async url => {
      expect(await outcomeOf(create(url))).toBe('OK')
    },
  )
})

it('a redirection of a receiver is not followed, and the notification stays to be sent', async () => {
  const id = await create(`${origin}/hook`)
  world.set({ __name__: 'up', job: 'node' }, 0)
  world.time.now = Math.floor(world.time.now / 10_000) * 10_000 + 11_000
  await eventually(async () => expect(await lastError(id)).toBe('the receiver answered with status 302'))
  expect(requests).toEqual(['/hook'])
})
