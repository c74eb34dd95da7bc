import type { LanguagePack } from './pack.ts'

export const german: LanguagePack = {
  language: 'de',
  places: [
    { name: 'Köln', within: 'in Köln', english: 'Cologne', country: 'DE', at: ['50.94', '6.96'] },
    { name: 'Hamburg', within: 'in Hamburg', english: 'Hamburg', country: 'DE', at: ['53.55', '9.99'] },
    { name: 'Lübeck', within: 'in Lübeck', english: 'Lübeck', country: 'DE', at: ['53.87', '10.69'] },
    {
      name: 'Berlin',
      within: 'in Berlin',
      english: 'Berlin',
      country: 'DE',
      at: ['52.52', '13.40'],
      wikidata: 'Q64',
    },
    { name: 'Görlitz', within: 'in Görlitz', english: 'Görlitz', country: 'DE', at: ['51.15', '14.99'] },
    {
      name: 'Innsbruck',
      within: 'in Innsbruck',
      english: 'Innsbruck',
      country: 'AT',
      at: ['47.27', '11.39'],
    },
    { name: 'Linz', within: 'in Linz', english: 'Linz', country: 'AT', at: ['48.31', '14.29'] },
    { name: 'Zürich', within: 'in Zürich', english: 'Zurich', country: 'CH', at: ['47.38', '8.54'] },
  ],
  bodies: [
    'der Stadtrat',
    'das Verkehrsministerium',
    'die Gesundheitsbehörde',
    'das Statistikamt',
    'die Wahlbehörde',
    'der Wasserverband',
  ],
  people: [
    'Ännchen Brückner',
    'Friederike Möllenkamp',
    'Rosalie Gstrein',
    'Hildegard Süßmilch',
    'Leonie Zgraggen',
  ],
  reporters: ['Jörg Habersack', 'Selin Öztürk-Braun', 'Matthias Feld', 'Käthe Lindner'],
  companies: ['Grünhagen Werke', 'Elbfähren Nord', 'Talmühle', 'Sonnenstein Energie'],
  teams: ['Eintracht Uferstadt', 'Blau-Weiß Hafen', 'SC Hügelsberg', 'Turnverein Moor'],
  farCountries: ['Karvenien', 'Valdurien', 'Ostmerien'],
  stories: {
    legislation: {
      tags: ['Parlament', 'Wohnen'],
      titles: [
        'Parlament begrenzt Ferienwohnungen auf {n} Nächte im Jahr',
        'Neues Gesetz: {n} Tage Frist gegen Mieterhöhungen {in}',
      ],
    },
    election: {
      tags: ['Wahl', 'Abstimmung'],
      titles: [
        'Wahl {in}: Beteiligung am Mittag bei {n} Prozent',
        '{person} gewinnt die Wahl {in} mit {n} Prozent',
        '{n} Stimmen Unterschied: Wahl {in} wird neu ausgezählt',
      ],
    },
    appointment: {
      tags: ['Regierung', 'Rücktritt'],
      titles: [
        'Verkehrsministerin {person} tritt nach {n} Monaten zurück',
        '{person} leitet künftig den Hafen {in}',
      ],
    },
    scandal: {
      tags: ['Korruption', 'Vergabe'],
      titles: ['Geleakte Rechnungen: {n} städtische Aufträge {in} gingen an eine Familie'],
    },
    diplomacy: {
      tags: ['Diplomatie', 'Vertrag'],
      titles: ['{far} und {n} weitere Staaten verhandeln {in} über den Flussvertrag'],
    },
    opinion: {
      tags: ['Kommentar', 'Stadtleben'],
      titles: ['Warum {place} {n} Straßen für Autos sperren sollte', 'Gebt {place} die Nachtzüge zurück'],
    },
    investigation: {
      tags: ['Ermittlung', 'Polizei'],
      titles: ['Nach Laborfehler: Polizei {in} rollt {n} Altfälle neu auf'],
    },
    court: {
      tags: ['Gericht', 'Justiz'],
      titles: ['{company} muss {n} Millionen für vergifteten Fluss {in} zahlen'],
    },
    crime: {
      tags: ['Kriminalität', 'Polizei'],
      titles: ['{n} Kirchenglocken gestohlen: Bande {in} gefasst'],
    },
    conflict: {
      tags: ['Krieg', 'Waffenruhe'],
      titles: ['Waffenruhe in {far} hält nur {n} Tage', 'Beschuss in {far}: {n}.000 Menschen auf der Flucht'],
    },
    protest: {
      tags: ['Streik', 'Gewerkschaft'],
      titles: ['Busfahrer {in} streiken den {n}. Tag', '{n}.000 Pflegekräfte demonstrieren {in}'],
    },
    disaster: {
      tags: ['Hochwasser', 'Katastrophe'],
      titles: [
        'Hochwasser schneidet {n} Dörfer bei {place} ab',
        'Erdbeben erschüttert {place}: {n} Schulen geschlossen',
      ],
    },
    accident: { tags: ['Unfall', 'Bahn'], titles: ['Zug entgleist bei {place}: {n} Leichtverletzte'] },
    market: {
      tags: ['Börse', 'Preise'],
      titles: [
        'Weizen so billig wie seit {n} Monaten nicht',
        '{company}: Aktie verliert {n} Prozent an einem Vormittag',
      ],
    },
    earnings: { tags: ['Unternehmen', 'Gewinn'], titles: ['{company} steigert Jahresgewinn um {n} Prozent'] },
    merger: {
      tags: ['Unternehmen', 'Fusion'],
      titles: ['{company} übernimmt {rival} und will {n} Werke erhalten'],
    },
    product: {
      tags: ['Technik', 'Verkehr'],
      titles: ['{company} testet Fähre ohne Besatzung auf {n} Fahrten {in}'],
    },
    discovery: {
      tags: ['Wissenschaft', 'Archäologie'],
      titles: ['Studierende finden {n} Boote aus der Bronzezeit im Schlick bei {place}'],
    },
    climate: {
      tags: ['Klima', 'Umwelt'],
      titles: [
        'Klimastudie: {place} bekommt {n} Tropennächte mehr im Jahr',
        'Wärmster Herbst {in} seit {n} Jahren, sagen Klimaforscher',
        'Klimaplan {in} soll Emissionen um {n} Prozent senken',
      ],
    },
    school: {
      tags: ['Bildung', 'Schule'],
      titles: [
        'Hochschule {in} öffnet {n} kostenlose Abendkurse',
        '{n} Schulen bei {place} teilen sich eine Leitung',
      ],
    },
    health: {
      tags: ['Gesundheit', 'Krankenhaus'],
      titles: ['Masern {in}: {n} Fälle, Impfung auch am Wochenende'],
    },
    sport: { tags: ['Fußball', 'Pokal'], titles: ['{team} schlägt {opponent} {score} vor {n}.000 Fans'] },
    obituary: {
      tags: ['Literatur', 'Nachruf'],
      titles: ['Schriftstellerin {person} mit {n} Jahren gestorben'],
    },
    interview: {
      tags: ['Interview', 'Menschen'],
      titles: ['„Ich habe {n} Uhren in einem Winter repariert“: {person} im Gespräch'],
    },
    religion: {
      tags: ['Religion', 'Denkmal'],
      titles: ['{n} Kilometer zu Fuß zur wiedereröffneten Kapelle bei {place}'],
    },
    lifestyle: {
      tags: ['Essen', 'Freizeit'],
      titles: ['{n} Suppen, die man auf dem Wintermarkt {in} probieren muss'],
    },
    weather: { tags: ['Wetter', 'Sturm'], titles: ['Sturmwarnung für {place}: Böen bis {n} km/h'] },
  },
  rarities: [
    ['lifestyle', 'Das Murmeltier im Kaufhaus'],
    ['discovery', 'Nasenflöte aus dem Moor klingt nach 900 Jahren'],
    ['opinion', 'Lob der Steckrübe'],
  ],
  standfirsts: [
    '{Body} legt die Einzelheiten am Donnerstag vor; Stellungnahmen sind bis Monatsende möglich.',
    'Was bekannt ist, was nicht, und wie es {in} weitergeht.',
    '{Body} bestätigte die Zahlen am Montag und kündigte einen Bericht binnen {n} Tagen an.',
    'Unterwegs {in} mit Menschen, die das Thema seit Jahren begleitet.',
    'Die Opposition fordert eine Untersuchung, {body} sieht dafür keinen Anlass.',
    'Das Wichtigste in drei Minuten, mit Bildern und einer Karte.',
    'Stimmen, Zahlen und Hintergründe aus unserer Redaktion.',
  ],
  teasers: ['Unglaublich: ', 'Alle reden darüber: ', 'SCHOCK! '],
  sections: {
    politics: 'Politik',
    economy: 'Wirtschaft',
    world: 'Ausland',
    society: 'Gesellschaft',
    science: 'Wissen',
    sport: 'Sport',
    culture: 'Kultur',
    local: 'Lokales',
  },
}
