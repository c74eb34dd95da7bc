/** The kinds of story: what happened, what it is about, and how an analysis would describe it in English. */
export type StoryKind =
  | 'legislation'
  | 'election'
  | 'appointment'
  | 'scandal'
  | 'diplomacy'
  | 'opinion'
  | 'investigation'
  | 'court'
  | 'crime'
  | 'conflict'
  | 'protest'
  | 'disaster'
  | 'accident'
  | 'market'
  | 'earnings'
  | 'merger'
  | 'product'
  | 'discovery'
  | 'climate'
  | 'school'
  | 'health'
  | 'sport'
  | 'obituary'
  | 'interview'
  | 'religion'
  | 'lifestyle'
  | 'weather'

export type Section = 'politics' | 'economy' | 'world' | 'society' | 'science' | 'sport' | 'culture' | 'local'

export interface Story {
  readonly kind: StoryKind
  /** How often it is told; most kinds have 3. */
  readonly weight: number
  readonly section: Section
  readonly category: string
  readonly eventType: string
  readonly impact: readonly [number, number]
  readonly scopes: readonly string[]
  readonly tones: readonly string[]
  /** Middle of the sentiment score. */
  readonly mood: number
  /** Whether a slant can be told from it. */
  readonly political: boolean
  readonly topics: readonly string[]
  /** Headline without slant; {place} is a slot. */
  readonly neutral: string
  readonly claim: string
  /** Something named in it that is neither person, organization nor place. */
  readonly thing?: readonly [name: string, type: string]
}

const table = `
legislation   | 4  | politics | politics-government               | legislation             | 4-7  | national,state          | informative,technical,critical     | 5   | yes | housing,parliament       | Law on short-term letting changes the rules in {place} | Short-term letting is limited to a number of nights a year | Short-Term Letting Act:law
election      | 13 | politics | politics-government               | election                | 4-8  | local,state,national    | informative,neutral,critical       | 0   | yes | election,democracy       | Local election held in {place} | Turnout was higher than at the last election | Autumn Election 2026:event
appointment   | 3  | politics | politics-government               | appointment-resignation | 3-6  | national,regional,state | neutral,informative                | -5  | yes | government,transport     | Change at the head of transport in {place} | The office changes hands before the end of the year |
scandal       | 3  | politics | politics-government               | scandal                 | 4-7  | local,state             | investigative,sensationalist       | -55 | yes | corruption,procurement   | Contracts in {place} under scrutiny | One family received most of the contracts | Leaked Ledger:other
diplomacy     | 3  | world    | politics-government               | diplomacy               | 6-9  | global,regional         | neutral,optimistic,technical       | 20  | yes | diplomacy,rivers         | River treaty discussed in {place} | The states agreed to publish water levels | Common Rivers Treaty:law
opinion       | 4  | society  | society                           | opinion                 | 1-4  | local,national          | critical,satirical,inspirational   | 0   | yes | cities,public space      | Opinion on streets and transport in {place} | Fewer cars mean fewer accidents in the centre |
investigation | 3  | local    | crime-law-justice                 | investigation           | 3-6  | state,national          | investigative,critical             | -30 | no  | police,forensics         | Police reopen cases in {place} | A laboratory error affected several cases |
court         | 3  | society  | crime-law-justice                 | court-ruling            | 4-7  | state,national          | neutral,technical,informative      | -20 | no  | courts,pollution         | Court rules on river pollution in {place} | The company must pay for the damage |
crime         | 3  | local    | crime-law-justice                 | crime                   | 2-5  | local                   | alarmist,sensationalist,neutral    | -45 | no  | crime,theft              | Arrests after a series of thefts in {place} | The stolen goods were recovered |
conflict      | 4  | world    | conflict-war-peace                | armed-conflict          | 7-10 | regional,global         | alarmist,melancholic,neutral       | -75 | yes | war,ceasefire            | Fighting resumes in spite of a ceasefire | Civilians left the border area | Ceasefire of the Two Bridges:event
protest       | 4  | society  | labour                            | protest                 | 3-6  | local,national          | critical,inspirational,informative | -10 | yes | strike,wages             | Strike in public services in {place} | Wages have not risen with prices |
disaster      | 3  | local    | disaster-accident-emergency       | natural-disaster        | 5-9  | regional,national       | alarmist,melancholic,informative   | -65 | no  | flood,rescue             | Natural disaster near {place} | Rescue teams reached every settlement |
accident      | 3  | local    | disaster-accident-emergency       | accident                | 3-6  | local,state             | neutral,informative,alarmist       | -50 | no  | railways,safety          | Train derails near {place} | The train was below the speed limit |
market        | 3  | economy  | economy-business-finance          | market-move             | 4-7  | global,national         | technical,neutral,alarmist         | -20 | no  | markets,prices           | Prices fall on the markets | Prices are at their lowest in months | Grain Index:other
earnings      | 3  | economy  | economy-business-finance          | earnings                | 2-5  | national                | technical,celebratory              | 40  | no  | companies,profits        | Company reports its yearly result | Profit rose compared with last year |
merger        | 3  | economy  | economy-business-finance          | merger-acquisition      | 3-6  | national,regional       | technical,informative,optimistic   | 15  | no  | companies,takeover       | Two companies agree on a takeover | No plant will be closed |
product       | 3  | science  | science-technology                | product                 | 2-6  | regional,national       | optimistic,technical,celebratory   | 45  | no  | technology,ferries       | Ferry without a crew tested in {place} | The ferry can dock without help | Autonomous Ferry One:product
discovery     | 3  | science  | science-technology                | scientific-finding      | 3-7  | global,regional         | informative,inspirational          | 60  | no  | archaeology,boats        | Bronze Age boats found near {place} | The boats are about three thousand years old |
climate       | 12 | science  | environment                       | study                   | 5-9  | global,national,local   | technical,alarmist,informative     | -30 | yes | climate,heat             | Climate researchers report on {place} | Nights have become warmer over thirty years | Climate Atlas 2026:work
school        | 3  | society  | education                         | announcement            | 2-5  | local,state             | optimistic,informative             | 45  | no  | schools,evening classes  | Changes in schools and evening classes in {place} | The courses are free of charge |
health        | 4  | society  | health                            | health-crisis           | 5-8  | state,regional          | informative,alarmist               | -40 | no  | measles,vaccination      | Measles outbreak in {place} | Most of the patients had not been vaccinated | Measles vaccine:product
sport         | 4  | sport    | sport                             | sport-result            | 1-4  | national,regional       | celebratory,melancholic,neutral    | 35  | no  | football,cup             | Cup match decided | The stadium was sold out | River Cup:event
obituary      | 3  | culture  | arts-culture-entertainment-media  | obituary                | 2-5  | national,global         | melancholic,inspirational          | -15 | no  | literature,novels        | Novelist dies | Her first novel was translated into many languages | The Small Harbours:work
interview     | 3  | culture  | human-interest                    | interview               | 1-3  | local                   | inspirational,satirical            | 55  | no  | craft,clocks             | Interview with a clock repairer | Old clocks can be repaired for ever |
religion      | 3  | culture  | religion                          | other                   | 1-4  | local,regional          | celebratory,inspirational,neutral  | 50  | no  | pilgrimage,heritage      | Pilgrims walk to a restored sanctuary near {place} | The roof was rebuilt by volunteers |
lifestyle     | 3  | culture  | lifestyle-leisure                 | other                   | 1-2  | local                   | celebratory,satirical,optimistic   | 65  | no  | food,markets             | Winter food to try in {place} | The market opens every evening |
weather       | 3  | local    | weather                           | other                   | 3-6  | regional,state          | alarmist,informative,technical     | -25 | no  | storm,wind               | Storm warning for {place} | Gusts are expected during the night | Storm Odalys:event
`

export const stories: readonly Story[] = table.trim().split('\n').map(buildStory)

function buildStory(line: string): Story {
  const cells = line.split('|').map((cell) => cell.trim())
  const cell = (index: number) => cells[index] ?? ''
  const [lowest = 1, highest = 10] = cell(5).split('-').map(Number)
  const [thing, type] = cell(13).split(':')
  return {
    kind: cell(0) as StoryKind,
    weight: Number(cell(1)),
    section: cell(2) as Section,
    category: cell(3),
    eventType: cell(4),
    impact: [lowest, highest],
    scopes: cell(6).split(','),
    tones: cell(7).split(','),
    mood: Number(cell(8)),
    political: cell(9) === 'yes',
    topics: cell(10).split(','),
    neutral: cell(11),
    claim: cell(12),
    ...(thing && type && { thing: [thing, type] as const }),
  }
}

const iptcCodes: Readonly<Record<string, string>> = {
  'arts-culture-entertainment-media': '01000000',
  'crime-law-justice': '02000000',
  'disaster-accident-emergency': '03000000',
  'economy-business-finance': '04000000',
  education: '05000000',
  environment: '06000000',
  health: '07000000',
  'human-interest': '08000000',
  labour: '09000000',
  'lifestyle-leisure': '10000000',
  'politics-government': '11000000',
  religion: '12000000',
  'science-technology': '13000000',
  society: '14000000',
  sport: '15000000',
  'conflict-war-peace': '16000000',
  weather: '17000000',
}

/** The Media Topic code at the top level of IPTC's tree. */
export function mediaTopicOf(category: string): string {
  const code = iptcCodes[category]
  if (code === undefined) throw new Error(`No media topic is known for the category "${category}".`)
  return `medtop:${code}`
}
