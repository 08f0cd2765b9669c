import { compareDigits, compareUnits, isNumber, type VersionOrder } from './version-order.ts'

/**
 * The order of versions of Maven, as `ComparableVersion` of Maven 3.9. It has circles, like that of Maven: `1-1` is below
 * `1.0.alpha.1`, which is below `1`, which is below `1-1`. Between versions without a qualifier before a dot there are none.
 */
export const compareMaven: VersionOrder = (a, b) => {
  const one = parse(a)
  const other = parse(b)
  for (let list = 0; ; list++) {
    const lefts = one[list] ?? []
    const rights = other[list] ?? []
    const length = Math.max(lefts.length, rights.length)
    for (let i = 0; i < length; i++) {
      const difference = compareItems(itemAt(one, list, i), itemAt(other, list, i))
      if (difference !== 0) return difference
    }
    const hasLeft = list + 1 < one.length
    const hasRight = list + 1 < other.length
    if (!hasLeft && !hasRight) return 0
    if (lefts.length === rights.length && hasLeft && hasRight) continue
    return compareItems(itemAt(one, list, length), itemAt(other, list, length))
  }
}

/**
 * A version is a list of numbers and qualifiers, whose last member may be a further list: `1.0-rc-2` is [1, 0, [rc, [2]]].
 * The lists stand here one after another, each with its numbers and qualifiers.
 */
type Lists = readonly (readonly string[])[]

/** A member of a list: a number or qualifier, the lists that follow it, or nothing. */
type Item = string | Lists | undefined

function itemAt(lists: Lists, list: number, index: number): Item {
  const items = lists[list] ?? []
  const isNext = index === items.length && list + 1 < lists.length
  return isNext ? lists.slice(list + 1) : items[index]
}

/** Compares members of which at most one is lists. A qualifier is below lists, and these are below a number. */
function compareItems(a: Item, b: Item): number {
  if (typeof a === 'object') return compareLists(a, b)
  if (typeof b === 'object') return -compareLists(b, a)
  if (a === undefined || b === undefined) return compareToNothing(a) - compareToNothing(b)
  const isNumberA = isNumber(a)
  if (isNumberA !== isNumber(b)) return isNumberA ? 1 : -1
  return isNumberA ? compareDigits(a, b) : compareQualifiers(a, b)
}

function compareLists(lists: Lists, other: Item): number {
  if (typeof other === 'string') return isNumber(other) ? -1 : 1
  for (const item of lists.flat()) {
    const difference = compareToNothing(item)
    if (difference !== 0) return difference
  }
  return 0
}

function compareToNothing(item: string | undefined): number {
  if (item === undefined) return 0
  return isNumber(item) ? compareDigits(item, '') : compareQualifiers(item, '')
}

/** The known qualifiers in their order; the empty one is the release. Unknown qualifiers follow in the order of texts. */
const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp']

function compareQualifiers(a: string, b: string): number {
  const places = [qualifiers.indexOf(a), qualifiers.indexOf(b)].map(place => (place === -1 ? qualifiers.length : place))
  const [placeA = 0, placeB = 0] = places
  return placeA - placeB || (placeA === qualifiers.length ? compareUnits(a, b) : 0)
}

const aliases: ReadonlyMap<string, string> = new Map(Object.entries({ ga: '', final: '', release: '', cr: 'rc' }))
/** The qualifiers that a single letter stands for if a number follows it. */
const shortNames: ReadonlyMap<string, string> = new Map(Object.entries({ a: 'alpha', b: 'beta', m: 'milestone' }))

function parse(version: string): Lists {
  const lists: string[][] = [[]]
  let list: string[] = lists[0] ?? []
  const open = (): void => void lists.push((list = []))
  let run = ''
  for (const token of version.toLowerCase().match(/[0-9]+|[^0-9.-]+|[.-]/g) ?? []) {
    if (token === '.' || token === '-') {
      list.push(run === '' ? '0' : itemOf(run))
      run = ''
      if (token === '-') open()
      continue
    }
    if (run !== '') {
      if (!isNumber(run) && list.length > 0) open()
      list.push(itemOf(isNumber(run) ? run : (shortNames.get(run) ?? run)))
      open()
    }
    run = token
  }
  if (run !== '') {
    if (!isNumber(run) && list.length > 0) open()
    list.push(itemOf(run))
  }
  return withoutNothing(lists)
}

const itemOf = (run: string): string => aliases.get(run) ?? run

/** Returns the lists without the zeros and releases at the end of each, and without empty lists at the end. */
function withoutNothing(lists: Lists): Lists {
  const kept = lists.map(list => list.slice(0, list.findLastIndex(item => compareToNothing(item) !== 0) + 1))
  return kept.slice(0, kept.findLastIndex(list => list.length > 0) + 1)
}
