import { expect, it } from 'vitest'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'

it.each([
  ['GET', ''],
  ['POST', ''],
  ['DELETE', `/${absentId}`],
  ['POST', `/${absentId}:start`],
] as const)('%s of machines%s in another engine than native answers ENGINE_NOT_FOUND', async (method, rest) => {
  const platform = await testPlatform()
  const { token } = await platform.admin()
  const answer = await platform.from('192.0.2.7')(
    `${baseUrl}/compute/v1/workspaces/${absentId}/engines/other/vms${rest}`,
    { method, headers: { authorization: `Bearer ${token}` } },
  )
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({
    details: [{ reason: 'ENGINE_NOT_FOUND', domain: 'compute', metadata: { code: '1000001' } }, {}],
  })
})
