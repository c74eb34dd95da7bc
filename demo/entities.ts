/** Who and what an article names, as an analysis lists it. */
import type { Article } from './articles.ts'
import type { Place } from './headlines/pack.ts'
import type { Random } from './random.ts'

const portrayals = ['positive', 'neutral', 'negative', 'mixed'] as const

/** The names found in headline and standfirst, then the story's own thing. */
export function buildEntities(random: Random, { story, names, copy }: Article, inEnglish: boolean): object[] {
  const text = `${copy.title} ${copy.description}`.toLowerCase()
  const named: [string, string, string?][] = [
    [names.person, 'person', 'protagonist'],
    [names.body, 'organization', 'authority'],
    [names.company, 'organization', 'company'],
    [names.rival, 'organization', 'company'],
    [names.team, 'organization', 'winner'],
    [names.opponent, 'organization', 'loser'],
    [names.far, 'location'],
  ]
  const found = named.filter(([name]) => text.includes(name.toLowerCase()))
  const place = inEnglish ? names.place.english : names.place.name
  const entities = [buildEntity(random, place, 'location', 'scene', names.place.wikidata)]
  for (const [name, type, role] of found) entities.push(buildEntity(random, name, type, role))
  if (story.thing) entities.push(buildEntity(random, story.thing[0], story.thing[1]))
  return entities
}

export function buildLocations(random: Random, place: Place, inEnglish: boolean): object[] | undefined {
  if (random.chance(0.1)) return undefined
  const [latitude, longitude] = place.at
  return [
    {
      name: inEnglish ? place.english : place.name,
      country: place.country,
      ...(random.chance(0.8) && { latitude, longitude }),
      ...(place.wikidata !== undefined && { wikidataId: place.wikidata }),
    },
  ]
}

function buildEntity(random: Random, name: string, type: string, role?: string, wikidataId?: string): object {
  const sentiment = random.pick(portrayals)
  const middle = { positive: 55, neutral: 0, negative: -55, mixed: 0 }[sentiment]
  return {
    name,
    type,
    ...(wikidataId !== undefined && { wikidataId }),
    ...(role !== undefined && { role }),
    salience: random.integer(10, 100),
    mentions: random.integer(1, 14),
    ...(random.chance(0.7) && { sentiment, sentimentScore: middle + random.integer(-20, 20) }),
  }
}
