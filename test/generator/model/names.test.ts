import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isIdentifier } from '../../../generator/identifier.ts'
import {
  camel,
  groupName,
  madeOperationName,
  Names,
  operationName,
  pascal,
  schemaName,
  spelling,
} from '../../../generator/model/names.ts'

describe('the name of', () => {
  test.each([
    ['Pet', 'Pet'],
    ['pet', 'Pet'],
    ['pet_store', 'PetStore'],
    ['petStore', 'PetStore'],
    ['Pet_Store', 'Pet_Store'],
    ['_pet', '_pet'],
    ['größe', 'Größe'],
    ['測', '測'],
    ['tea-cup', 'TeaCup'],
    ['a.b c', 'ABC'],
    ['2x', '_2x'],
    ['👍', '_1f44d_'],
    ['__proto__', '__proto__Schema'],
    ['Record', 'RecordSchema'],
    ['Promise', 'PromiseSchema'],
    ['string', 'StringSchema'],
    ['class', 'Class'],
    ['Error', 'Error'],
    ['Date', 'Date'],
    ["'];x()//", 'X'],
  ])('the schema %j is %s', (name, expected) => expect(schemaName(name)).toBe(expected))

  test.each([
    ['listPets', 'listPets'],
    ['delete', 'delete'],
    ['jobs.cancel', 'jobsCancel'],
    ['Get Pet', 'getPet'],
    ['GetPet', 'getPet'],
    ['GETPet', 'getPet'],
    ['GET', 'get'],
    ['get_pet', 'get_pet'],
    ['ÄndereTier', 'ändereTier'],
    ['constructor', 'constructorOperation'],
    ['__proto__', '__proto__Operation'],
    ['größeLesen', 'größeLesen'],
    ['測', '測'],
  ])('the operation %j is %s', (id, expected) => expect(operationName(id)).toBe(expected))

  test.each([
    ['get', '/farm/animals/{animalId}/legs/{leg}', 'getFarmAnimalsByAnimalIdLegsByLeg'],
    ['get', '/', 'getRoot'],
    ['post', '/jobs:purge', 'postJobsPurge'],
    ['post', '/jobs/{job-id}:cancel', 'postJobsByJobIdCancel'],
    ['get', '/größe/{straße}', 'getGrößeByStraße'],
  ])('%s %s without an id is %s', (method, path, expected) => expect(madeOperationName(method, path)).toBe(expected))

  test.each([
    ['quotaOverrides', 'quotaOverrides'],
    ['Pet Store', 'petStore'],
    ['class', 'classGroup'],
    ['constructor', 'constructorGroup'],
    ['测量', '测量'],
  ])('the group %j is %s', (tag, expected) => expect(groupName(tag)).toBe(expected))
})

describe('for any names in a document', () => {
  const any = fc.string({ unit: 'binary', maxLength: 20 })

  test('names are legal in TypeScript', () => {
    fc.assert(
      fc.property(any, name => {
        for (const made of [schemaName(name), operationName(name), groupName(name), pascal(name), camel(name)]) {
          expect(made).toSatisfy(isIdentifier)
        }
      }),
    )
  })

  test('spellings are legal, and different for different names', () => {
    fc.assert(
      fc.property(any, name => {
        expect(spelling(name)).toSatisfy(isIdentifier)
      }),
    )
    expect(new Set(['tea-cup', 'tea_cup', 'tea.cup', 'teacup'].map(spelling)).size).toBe(4)
  })
})

describe('a name that is taken', () => {
  test('stays with its first owner, and later names change no earlier name', () => {
    const wanted = ['Tea_Cup', 'TeaCup', 'teaCup', 'tea-cup', 'tea cup']
    const given = (all: readonly string[]): readonly string[] => {
      const names = new Names()
      return all.map(name => names.claim(schemaName(name), spelling(name)))
    }
    const all = given(wanted)
    expect(all).toEqual(['Tea_Cup', 'TeaCup', 'teaCup_', 'tea_2d_cup', 'tea_20_cup'])
    for (let n = 1; n < wanted.length; n++) expect(given(wanted.slice(0, n))).toEqual(all.slice(0, n))
  })

  test('is never given twice', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'A', 'a-b', 'aB', 'AB', 'a_2d_b')), wanted => {
        const names = new Names()
        const given = wanted.map(name => names.claim(schemaName(name), spelling(name)))
        expect(new Set(given.map(name => name[0]?.toUpperCase() + name.slice(1))).size).toBe(given.length)
      }),
    )
  })
})
