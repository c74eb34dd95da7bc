/** Fills a sentence's slots; what was named is kept, because the analyses speak of it. */
import type { LanguagePack, Place } from './headlines/pack.ts'
import type { Random } from './random.ts'
import type { Story, StoryKind } from './stories.ts'

export interface Names {
  readonly place: Place
  readonly body: string
  readonly person: string
  readonly company: string
  readonly rival: string
  readonly team: string
  readonly opponent: string
  readonly far: string
  readonly n: string
  readonly score: string
}

// Numbers after which Russian and Arabic nouns keep one form, so that no sentence needs plural rules.
const numbers = [
  12, 13, 14, 15, 16, 17, 18, 19, 25, 26, 27, 28, 29, 30, 35, 36, 37, 38, 39, 40, 45, 46, 47, 48, 49, 56, 57,
  58, 59, 60, 65, 66, 67, 68, 75, 76, 77, 78, 85, 86, 87, 88,
]
/** Nobody is mourned at twelve, and no fair sells eighty-eight soups. */
const numberRanges: Partial<Record<StoryKind, readonly [lowest: number, highest: number]>> = {
  appointment: [12, 60],
  diplomacy: [12, 30],
  election: [35, 78],
  lifestyle: [12, 30],
  merger: [12, 30],
  obituary: [56, 88],
  opinion: [12, 30],
  weather: [65, 88],
}
const scores = ['1:0', '2:0', '2:1', '3:1', '3:2', '4:2', '5:3']

/** Outlets mostly report from their own country. */
export function chooseNames(random: Random, pack: LanguagePack, country: string, kind: StoryKind): Names {
  const [lowest, highest] = numberRanges[kind] ?? [12, 88]
  const near = pack.places.filter((place) => place.country === country)
  const place = random.pick(near.length > 0 && random.chance(0.8) ? near : pack.places)
  const company = random.pick(pack.companies)
  const team = random.pick(pack.teams)
  return {
    place,
    body: random.pick(pack.bodies),
    person: random.pick(pack.people),
    company,
    rival: random.pick(pack.companies.filter((other) => other !== company)),
    team,
    opponent: random.pick(pack.teams.filter((other) => other !== team)),
    far: random.pick(pack.farCountries),
    n: String(random.pick(numbers.filter((number) => number >= lowest && number <= highest))),
    score: random.pick(scores),
  }
}

/** Officials have nothing to say about a match or a war far away. */
export function writeStandfirst(random: Random, pack: LanguagePack, story: Story, names: Names): string {
  const fitting = pack.standfirsts.filter((sentence) => {
    if (['world', 'economy', 'sport'].includes(story.section)) return !sentence.includes('{')
    return !/\{body\}/i.test(sentence) || ['politics', 'society', 'local'].includes(story.section)
  })
  return fillSlots(random.pick(fitting), { ...names, n: random.pick(['14', '30', '60']) })
}

export function fillSlots(sentence: string, names: Names): string {
  const filled = sentence.replace(/\{(\w+)\}/g, (_, slot: string) => {
    switch (slot) {
      case 'place':
        return names.place.name
      case 'in':
        return names.place.within
      case 'Body':
        return capitalize(names.body)
      default: {
        const name = names[slot as Exclude<keyof Names, 'place'>]
        if (name === undefined) throw new Error(`The sentence "${sentence}" has an unknown slot {${slot}}.`)
        return name
      }
    }
  })
  return capitalize(filled)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
