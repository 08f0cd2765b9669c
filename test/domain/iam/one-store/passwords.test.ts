import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HashingQueue } from '../../../../domain/iam/credentials/hashing-queue.ts'
import { passwordsOf } from '../../../../domain/iam/credentials/stored-passwords.ts'
import { fits, formatHash, parseHash } from '../../../../domain/iam/credentials/password-hash-format.ts'
import { passwords as passwordRows } from '../../../../domain/iam/collections/users-store.ts'
import { testStore } from '../../../server/store/harness.ts'
import { outcomeOf } from '../../outcomes.ts'

const passwords = passwordsOf({ atOnce: 2 })

describe('the hash of a password', () => {
  it('is a PHC string with a salt of its own', async () => {
    const [one, other] = [await passwords.hash('quiet-harbour-lantern'), await passwords.hash('quiet-harbour-lantern')]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).not.toBe(other)
    expect(passwords.isOutdated(one)).toBe(false)
  })

  it('matches its password in every Unicode form, and no other password', async () => {
    const hash = await passwords.hash('caf\u00e9-harbour-\uff11\uff12')
    expect(await passwords.verify(hash, 'cafe\u0301-harbour-12')).toBe(true)
    for (const wrong of ['', 'cafe-harbour-12', 'CAF\u00c9-harbour-12', 'caf\u00e9-harbour-12 ']) {
      expect(await passwords.verify(hash, wrong)).toBe(false)
    }
  })

  it('is that of argon2id: a vector of its reference implementation', async () => {
    const hash = Buffer.from('09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7', 'hex')
    const vector = { memory: 65_536, passes: 2, parallelism: 1, salt: Buffer.from('somesalt'), hash }
    expect(await fits('password', vector)).toBe(true)
    expect(await fits('passwore', vector)).toBe(false)
  })

  it('matches no password if it is missing or malformed', async () => {
    expect(await passwords.verify(undefined, '')).toBe(false)
    expect(await passwords.verify('', '')).toBe(false)
    expect(await passwords.verify('$2b$10$abcdefghijklmnopqrstuv', 'quiet-harbour-lantern')).toBe(false)
  })

  it('is outdated if it was made with other parameters', () => {
    const tail = `$${'A'.repeat(22)}$${'A'.repeat(43)}`
    expect(passwords.isOutdated(`$argon2id$v=19$m=19456,t=2,p=1${tail}`)).toBe(false)
    for (const cost of ['m=19455,t=2,p=1', 'm=19456,t=3,p=1', 'm=19456,t=2,p=2']) {
      expect(passwords.isOutdated(`$argon2id$v=19$${cost}${tail}`)).toBe(true)
    }
  })

  it('is parsed as it was formatted, whatever the bytes', () => {
    const bytes = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map(each => Buffer.from(each))
    const hashes = fc.record({
      memory: fc.integer({ min: 8, max: 999_999 }),
      passes: fc.integer({ min: 1, max: 99 }),
      parallelism: fc.integer({ min: 1, max: 9 }),
      salt: bytes(16),
      hash: bytes(32),
    })
    fc.assert(
      fc.property(hashes, hash => {
        expect(parseHash(formatHash(hash))).toEqual(hash)
      }),
    )
  })

  it.each([
    '',
    '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=16$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=99999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=02,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAB$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA',
  ])('is refused in another notation: %s', text => expect(parseHash(text)).toBeUndefined())
})

describe('a password is refused', () => {
  it.each([
    ['with 11 characters', 'elevenchars'],
    ['with 129 characters', 'abcdefghi-'.repeat(12) + 'abcdefghi'],
    ['whose 12 units are 6 characters', '\u{1f512}'.repeat(6)],
    ['that is shorter once it is composed', 'e\u0301'.repeat(6)],
    ['with the name of the address in it', 'my-KIM.DOE-password'],
    ['with the name of the address in other letters', 'my-\uff2b\uff49\uff4d.doe-password'],
    ['that is common', 'unbelievable'],
    ['that is common but for its case', 'UnbelievablE'],
  ])('%s', async (_name, password) => {
    const error = await passwords.weakness(password, 'kim.doe@acme.example', 'new_password')
    expect(error).toMatchObject({ reason: 'PASSWORD_TOO_WEAK', details: { badRequest: [{ field: 'new_password' }] } })
    expect(JSON.stringify([error?.message, error?.details])).not.toContain(password)
  })
})

it.each([
  ['12 characters', 'twelve-chars', 'kim.doe@acme.example'],
  ['12 characters beyond the first plane', '\u{1f512}'.repeat(12), 'kim.doe@acme.example'],
  ['128 characters', 'abcdefgh'.repeat(16), 'kim.doe@acme.example'],
  ['a name of three characters in it', 'my-kim-password', 'kim@acme.example'],
])('a password is accepted with %s', async (_name, password, email) => {
  expect(await passwords.weakness(password, email, 'password')).toBeUndefined()
})

describe('the password history', () => {
  it('has five hashes with the present one, the newest first', async () => {
    const store = await testStore(passwordRows)
    const set = (hash: string) => store.tx(tx => passwords.store(tx, 'u', hash))
    for (const hash of ['1', '2', '3', '4', '5', '6']) await set(hash)
    expect((await store.get(passwordRows, 'u'))?.value).toEqual({ id: 'u', hash: '6', history: ['5', '4', '3', '2'] })
    await set('')
    expect((await store.get(passwordRows, 'u'))?.value).toMatchObject({ hash: '', history: ['6', '5', '4', '3', '2'] })
    await set('')
    await set('7')
    expect((await store.get(passwordRows, 'u'))?.value).toMatchObject({ hash: '7', history: ['6', '5', '4', '3'] })
  })
})

describe('hashing', () => {
  it('runs a limited number at a time, in order, and refuses a request when 64 are waiting', async () => {
    const queue = new HashingQueue(2)
    const ends: (() => void)[] = []
    const began: number[] = []
    const work = (name: number) => () => {
      began.push(name)
      return new Promise<void>(resolve => ends.push(resolve))
    }
    const all = Array.from({ length: 66 }, (_, name) => queue.run(work(name)))
    expect(await outcomeOf(queue.run(work(66)))).toBe('AUTHENTICATION_THROTTLED')
    expect(began).toEqual([0, 1])
    ends[0]?.()
    await all[0]
    const late = queue.run(work(67))
    expect(await outcomeOf(queue.run(work(68)))).toBe('AUTHENTICATION_THROTTLED')
    for (let i = 1; i < 67; i += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(i)
      ends[i]?.()
    }
    await Promise.all([...all, late])
    expect(began).toEqual([...Array.from({ length: 66 }, (_, name) => name), 67])
  })

  it('continues after a failure', async () => {
    const queue = new HashingQueue(1)
    const failed = queue.run(() => Promise.reject(new Error('no memory')))
    const next = queue.run(async () => 'done')
    await expect(failed).rejects.toThrow('no memory')
    expect(await next).toBe('done')
  })
})
