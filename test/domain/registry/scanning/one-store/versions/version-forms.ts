import type { Random } from '../../../../../areas/random.ts'

/**
 * The form of versions of an ecosystem: the choices of each place, one after another. Each combination is a version that
 * the judge of the ecosystem takes.
 */
export type VersionForm = readonly (readonly string[])[]

const times = (count: number, choices: readonly string[]): VersionForm => Array.from({ length: count }, () => choices)

/** Returns the words of a text, and the empty text as often as `empty` says. */
const choices = (empty: number, text: string): readonly string[] => [
  ...Array.from({ length: empty }, () => ''),
  ...text.split(' '),
]

const numbers = choices(0, '0 1 2 9 10 01 09 100 20240229 99999999999999999999')
const dotted = ['', '', ...numbers.map(number => `.${number}`)]

/** The forms by ecosystem. */
export const forms = {
  dpkg: [
    choices(3, '0: 1: 01: 10:'),
    numbers,
    ...times(4, [...dotted, ...choices(0, '~ ~~ ~rc1 ~+ +b1 +dfsg a Z z9 -1 + . .a0')]),
    choices(1, '-0 -1 -01 -1~bpo12+1 -1+deb12u1 -1+deb12u10 -1.1 -0ubuntu1 -a'),
  ],
  pypi: [
    choices(3, 'v 0! 1!'),
    numbers,
    ...times(3, dotted),
    choices(3, 'a1 .alpha.1 -b2 B10 rc1 rc c1 pre2 _preview_01'),
    choices(3, '.post1 -1 .rev2 post r1 -10'),
    choices(3, '.dev1 dev -dev2 .DEV10'),
    choices(3, '+1 +abc +1.abc +1e3 +5e12 +Ubuntu-1 +01 +1.0 +0x10'),
  ],
  maven: [
    numbers,
    ...times(5, [
      ...dotted,
      ...choices(0, '-0 -1 -2 -10 - . -alpha .alpha -alpha-1 a1 a b2 m3 -RC .rc1 -cr1 -SNAPSHOT -ga .final .Final'),
      ...choices(0, '-release -sp .sp1 -foo .Foo2 x _1 +build'),
    ]),
  ],
  rubygems: [
    numbers,
    ...times(4, [...dotted, ...choices(0, '.a .a1 .rc1 .RC1 .pre .1a .b10 .b9 .0.0')]),
    choices(3, '-1 -rc.1 -a-b -0'),
  ],
  semver: [
    choices(3, 'v ='),
    choices(0, '0 1 2 9 10 100'),
    ...times(2, choices(0, '.0 .1 .2 .9 .10')),
    [
      ...choices(2, '-alpha -alpha.1 -alpha.beta -beta -1 -10 -9 -0 -rc.1 -rc.10 -rc1 -x-y -A -- -1a'),
      ...choices(0, '-0.20240101000000-abcdef012345 -0.20240101000001-abcdef012345'),
    ],
    choices(3, '+build +1 +incompatible'),
  ],
  /** The forms of apk in which Gentoo, whose order the judge has, sorts alike. */
  apk: [
    choices(0, '1 2 9 10 100'),
    ...times(3, choices(2, '.0 .1 .2 .9 .10 .01 .001 .09 .011')),
    choices(3, 'a b z'),
    ...times(2, choices(3, '_alpha1 _beta2 _pre1 _pre10 _rc1 _rc01 _rc2 _p1 _p10 _p9')),
    choices(2, '_p _rc'),
    choices(2, '-r1 -r2 -r10 -r01'),
  ],
} as const satisfies Readonly<Record<string, VersionForm>>

/** Returns pairs of versions, most of which differ in one place or two. */
export function nearPairs(random: Random, form: VersionForm, count: number): readonly (readonly [string, string])[] {
  return Array.from({ length: count }, () => {
    const one = form.map(place => random.oneOf(place))
    const changed = random.percent(10) ? form.length : 1 + random.below(2)
    const places = new Set(Array.from({ length: changed }, () => random.below(form.length)))
    const other = form.map((at, place) => (places.has(place) ? random.oneOf(at) : (one[place] ?? '')))
    return [one.join(''), other.join('')]
  })
}
