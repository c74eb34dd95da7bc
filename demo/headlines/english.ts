import type { LanguagePack } from './pack.ts'

export const english: LanguagePack = {
  language: 'en',
  places: [
    { name: 'Leeds', within: 'in Leeds', english: 'Leeds', country: 'GB', at: ['53.80', '-1.55'] },
    { name: 'Belfast', within: 'in Belfast', english: 'Belfast', country: 'GB', at: ['54.60', '-5.93'] },
    { name: 'Dundee', within: 'in Dundee', english: 'Dundee', country: 'GB', at: ['56.46', '-2.97'] },
    {
      name: 'London',
      within: 'in London',
      english: 'London',
      country: 'GB',
      at: ['51.51', '-0.13'],
      wikidata: 'Q84',
    },
    { name: 'Portland', within: 'in Portland', english: 'Portland', country: 'US', at: ['45.52', '-122.68'] },
    { name: 'Peoria', within: 'in Peoria', english: 'Peoria', country: 'US', at: ['40.69', '-89.59'] },
    { name: 'Buffalo', within: 'in Buffalo', english: 'Buffalo', country: 'US', at: ['42.89', '-78.88'] },
    { name: 'Durban', within: 'in Durban', english: 'Durban', country: 'ZA', at: ['-29.86', '31.02'] },
    { name: 'Chennai', within: 'in Chennai', english: 'Chennai', country: 'IN', at: ['13.08', '80.27'] },
  ],
  bodies: [
    'the city council',
    'the transport ministry',
    'the health department',
    'the statistics office',
    'the water board',
    'the electoral commission',
  ],
  people: ['Maren Ashgrove', 'Thandeka Mbele', 'Isla Corrigan', 'Lakshmi Varadan', 'Josephine Okafor-Reed'],
  reporters: ['Tom Harrowgate', 'Nadia Sloane', 'Priya Menon', 'Callum Reyes'],
  companies: ['Brightwater Foods', 'Tarn Robotics', 'Larkfield Energy', 'Meridian Looms'],
  teams: ['Canal Rovers', 'Harbour United', 'Hill Wanderers', 'Lakeside Athletic'],
  farCountries: ['Karvenia', 'Valduria', 'Ostmere'],
  stories: {
    legislation: {
      tags: ['parliament', 'housing'],
      titles: [
        'Parliament caps holiday lets at {n} nights a year',
        'New law gives tenants {in} {n} days to contest a rent rise',
      ],
    },
    election: {
      tags: ['election', 'voting'],
      titles: [
        'Election {in}: turnout reaches {n} percent by early afternoon',
        '{person} leads in {place} with {n} percent of the votes counted in local election',
        'Recount ordered {in} after election decided by {n} votes',
      ],
    },
    appointment: {
      tags: ['government', 'resignation'],
      titles: [
        '{person} resigns as head of transport after {n} months',
        '{person} to lead the port of {place}',
      ],
    },
    scandal: {
      tags: ['corruption', 'council'],
      titles: ['Leaked invoices: {n} council contracts {in} went to one family firm'],
    },
    diplomacy: {
      tags: ['diplomacy', 'treaty'],
      titles: ['Envoys from {far} and {n} other states meet {in} for river treaty talks'],
    },
    opinion: {
      tags: ['opinion', 'city life'],
      titles: ['Why {place} should close {n} streets to cars', 'Give {place} back its night buses'],
    },
    investigation: {
      tags: ['investigation', 'police'],
      titles: ['Police {in} reopen {n} cold cases after laboratory error'],
    },
    court: {
      tags: ['court', 'justice'],
      titles: ['Court orders {company} to pay {n} million for polluting the river {in}'],
    },
    crime: { tags: ['crime', 'police'], titles: ['Gang that stole {n} church bells caught {in}'] },
    conflict: {
      tags: ['war', 'ceasefire'],
      titles: [
        'Ceasefire in {far} breaks down after {n} days',
        'Shelling in {far} drives {n},000 people from their homes',
      ],
    },
    protest: {
      tags: ['strike', 'unions'],
      titles: ['Bus drivers {in} strike for the {n}th day', '{n},000 nurses march {in} for safer staffing'],
    },
    disaster: {
      tags: ['flood', 'emergency'],
      titles: ['Flood cuts off {n} villages near {place}', 'Earthquake shakes {place}: {n} schools closed'],
    },
    accident: {
      tags: ['accident', 'railways'],
      titles: ['Train leaves the rails near {place}, {n} passengers hurt'],
    },
    market: {
      tags: ['markets', 'prices'],
      titles: [
        'Wheat price falls to its lowest in {n} months',
        'Shares of {company} lose {n} percent in a morning',
      ],
    },
    earnings: { tags: ['companies', 'profits'], titles: ['{company} raises yearly profit by {n} percent'] },
    merger: { tags: ['companies', 'merger'], titles: ['{company} to buy {rival} and keep {n} plants open'] },
    product: {
      tags: ['technology', 'transport'],
      titles: ['{company} tests a ferry without a crew on {n} crossings {in}'],
    },
    discovery: {
      tags: ['science', 'archaeology'],
      titles: ['Students find {n} Bronze Age boats in the mud near {place}'],
    },
    climate: {
      tags: ['climate', 'environment'],
      titles: [
        'Climate study: {place} will have {n} more hot nights a year',
        'Warmest autumn {in} for {n} years, climate researchers say',
        'Climate plan {in} would cut emissions by {n} percent',
      ],
    },
    school: {
      tags: ['education', 'schools'],
      titles: [
        'Evening college {in} opens {n} free courses',
        '{n} schools near {place} to share one headteacher',
      ],
    },
    health: {
      tags: ['health', 'hospitals'],
      titles: ['Measles {in}: {n} cases, clinics open at the weekend'],
    },
    sport: { tags: ['football', 'cup'], titles: ['{team} beat {opponent} {score} in front of {n},000'] },
    obituary: {
      tags: ['literature', 'obituary'],
      titles: ['{person}, who wrote novels of small harbours, dies aged {n}'],
    },
    interview: {
      tags: ['interview', 'people'],
      titles: ['“I repaired {n} clocks in one winter”: {person} in conversation'],
    },
    religion: {
      tags: ['religion', 'heritage'],
      titles: ['Pilgrims walk {n} miles to reopened chapel near {place}'],
    },
    lifestyle: { tags: ['food', 'leisure'], titles: ['{n} soups to try at the winter market {in}'] },
    weather: {
      tags: ['weather', 'storm'],
      titles: ['Storm warning for {place}: gusts of {n} miles an hour'],
    },
  },
  rarities: [
    ['lifestyle', 'The quokka that refused to leave the ferry'],
    ['discovery', 'A theremin in the attic: lost instrument plays again'],
    ['opinion', 'In praise of the unfashionable turnip'],
    ['crime', 'Saxophone thief returns instrument with an apology'],
  ],
  standfirsts: [
    '{Body} will publish the details on Thursday; residents {in} may comment until the end of the month.',
    'What is known so far, what is not, and what happens next {in}.',
    '{Body} confirmed the figures on Monday and promised a report within {n} days.',
    'Our reporter spoke with people {in} who have followed the matter for years.',
    'The opposition wants an inquiry; {body} sees no reason for one.',
    'The most important points in three minutes, with pictures and a map.',
    'Voices, figures and background from our newsroom.',
  ],
  teasers: ['You won’t believe this: ', 'Everyone is talking about it: ', 'SHOCK: '],
  sections: {
    politics: 'Politics',
    economy: 'Business',
    world: 'World',
    society: 'Society',
    science: 'Science',
    sport: 'Sport',
    culture: 'Culture',
    local: 'Local news',
  },
}
