import { expect, test } from 'vitest'
import { findOperation, operationsOf, qualifiedName } from '../../cli/catalogue.ts'
import { CommandError } from '../../cli/exit-codes.ts'
import { requestOf } from '../../cli/request.ts'

const workspace = '0199c5a0-0c11-7d84-b6a9-2f3e4d5c6b70'

const request = async (name: string, ...words: readonly string[]) => requestOf(await findOperation(name), { words })

test('every operation of the nine areas is found by its name', async () => {
  const operations = await operationsOf()
  expect(operations.length).toBeGreaterThan(300)
  expect(new Set(operations.map(({ area }) => area)).size).toBe(9)
  expect(new Set(operations.map(qualifiedName)).size).toBe(operations.length)
  expect(await findOperation('taxonomy.getOperation')).toMatchObject({ area: 'taxonomy' })
})

test('every operation states its permission, and an operation that can be waited for belongs to an area with a wait', async () => {
  const operations = await operationsOf()
  for (const operation of operations) {
    const asked = () => requestOf(operation, { words: ['no such=1'] })
    expect(asked, qualifiedName(operation)).toThrow(CommandError)
    if (operation.client.mode === undefined) continue
    const { client } = await findOperation(`${operation.area}.getOperation`)
    expect(client.path.filter((_, index) => index % 2 === 1)).toEqual(['id'])
  }
})

test.each([
  ['getOperation', /one of several areas: say which of compute\.getOperation, /],
  ['listVmz', /did you mean "listVms"/],
  ['comput.listVms', /did you mean "compute"/],
  ['iam.listUsers.x', /there is no operation/],
  ['constructor', /there is no operation/],
  ['__proto__.x', /there is no area/],
])('%s is not an operation', async (name, message) => {
  await expect(findOperation(name)).rejects.toThrow(message)
})

test('arguments become parameters and members of the body by their declared types', async () => {
  const words = ['name=web', 'zone=z-1', 'cpu.count=2', 'memory_mib=2048', 'labels.tier=1', 'boot_disk.size_gib=20']
  expect(await request('createVm', `workspace=${workspace}`, ...words)).toEqual({
    workspace,
    body: {
      name: 'web',
      zone: 'z-1',
      cpu: { count: 2 },
      memory_mib: 2048,
      labels: { tier: '1' },
      boot_disk: { size_gib: 20 },
    },
  })
  const role = await request('createRole', 'name=r', 'scope_type=PLATFORM', 'scope_id=', 'permissions=iam.users.get')
  expect(role).toEqual({
    body: { name: 'r', scope_type: 'PLATFORM', scope_id: '', permissions: ['iam.users.get'] },
  })
  expect(await request('listUsers', 'page_size=5', 'filter=status = "ACTIVE"')).toEqual({
    page_size: 5,
    filter: 'status = "ACTIVE"',
  })
})

test('an argument is a number if the document declares a number, even one that is too small', async () => {
  const vm = request('createVm', `workspace=${workspace}`, 'memory_mib=-1')
  await expect(vm).rejects.toThrow(/memory_mib must be at least/)
})

test('a repeated member is a list, and arguments are added to a body', async () => {
  const operation = await findOperation('createRole')
  const body = { name: 'r', scope_type: 'PLATFORM', scope_id: '' }
  const words = ['permissions=iam.users.get', 'permissions=iam.users.list']
  expect(requestOf(operation, { words, body })).toEqual({
    body: { ...body, permissions: ['iam.users.get', 'iam.users.list'] },
  })
  expect(body).not.toHaveProperty('permissions')
})

test.each<[string, readonly string[], RegExp]>([
  ['listUsers', ['page_siz=5'], /did you mean "page_size"/],
  ['listUsers', ['page_size=many'], /page_size must be a number/],
  ['listUsers', ['page_size'], /must be key=value/],
  ['createRole', ['nam=r'], /nam is not a known field \(did you mean "name"\?\)/],
  ['getRole', ['id=..'], /id must not be "\.\."/],
  [
    'revokeAccess',
    ['scope_type=PLATFORM', 'scope_id=', `principal_id=${workspace}`],
    /called: scope_id must not be empty: it is a part of the address; scope_type must be one of ORGANISATION, GROUP, WORKSPACE$/,
  ],
  ['inviteUser', ['email=nonsense'], /: email must be a valid email, such as kim@example\.com$/],
  ['inviteUser', ['email='], /: email must have at least 3 characters$/],
  [
    'createBinding',
    ['principal_id=kim', 'role_id=r', 'scope_type=PLATFORM', 'scope_id='],
    /: principal_id must be a valid uuid$/,
  ],
  ['getRole', ['id=a', 'id=b'], /given 2 times/],
  ['createRole', ['name=r', 'name.first=r'], /cannot be a value and have members too/],
  ['createRole', ['a..b=1'], /names with dots between them/],
  ['createRole', ['__proto__.polluted=1'], /__proto__/],
])('%s %j cannot be called', async (name, words, message) => {
  await expect(request(name, ...words)).rejects.toThrow(message)
  expect({}).not.toHaveProperty('polluted')
})

test.each([
  ['authenticate', 'password'],
  ['authenticate', 'new_password'],
  ['authenticate', 'token'],
  ['authenticate', 'credentials.secret'],
  ['addSecretVersion', 'payload.data'],
  ['createCapsule', 'payload.data'],
  ['createCapsule', 'passphrase'],
  ['encrypt', 'plaintext'],
])('%s: %s is refused as a word, and not quoted', async (name, key) => {
  const failed = request(name, 'email=a@b.c', `${key}=aHVudGVyMg==`)
  await expect(failed).rejects.toThrow(/must not stand on a command line: use --body -, or --body @file$/)
  await expect(failed).rejects.not.toThrow(/aHVudGVy/)
})
