import type { LanguagePack } from './pack.ts'

export const french: LanguagePack = {
  language: 'fr',
  places: [
    { name: 'Lyon', within: 'à Lyon', english: 'Lyon', country: 'FR', at: ['45.76', '4.84'] },
    { name: 'Brest', within: 'à Brest', english: 'Brest', country: 'FR', at: ['48.39', '-4.49'] },
    {
      name: 'Strasbourg',
      within: 'à Strasbourg',
      english: 'Strasbourg',
      country: 'FR',
      at: ['48.57', '7.75'],
    },
    {
      name: 'Paris',
      within: 'à Paris',
      english: 'Paris',
      country: 'FR',
      at: ['48.86', '2.35'],
      wikidata: 'Q90',
    },
    { name: 'Béziers', within: 'à Béziers', english: 'Béziers', country: 'FR', at: ['43.34', '3.22'] },
    { name: 'Québec', within: 'à Québec', english: 'Quebec City', country: 'CA', at: ['46.81', '-71.21'] },
    {
      name: 'Trois-Rivières',
      within: 'à Trois-Rivières',
      english: 'Trois-Rivières',
      country: 'CA',
      at: ['46.34', '-72.54'],
    },
    { name: 'Dakar', within: 'à Dakar', english: 'Dakar', country: 'SN', at: ['14.69', '-17.45'] },
    { name: 'Thiès', within: 'à Thiès', english: 'Thiès', country: 'SN', at: ['14.79', '-16.93'] },
  ],
  bodies: [
    'le conseil municipal',
    'la préfecture',
    'le ministère des Transports',
    'la commission électorale',
    'le bureau de la statistique',
    'la direction de la santé',
  ],
  people: [
    'Mélanie Tournefeuille',
    'Coumba Ndoye',
    'Solène Kervadec',
    'Geneviève Bélanger-Roy',
    'Joséphine Marchais',
  ],
  reporters: ['Rémi Cazenave', 'Fatou Sarr', 'Benoît Lhermitte', 'Zoé Gauthier'],
  companies: ['Verreries Beaumont', 'Ferries du Ponant', 'Moulins Tréfeuil', 'Boréal Énergie'],
  teams: ['Racing des Quais', 'Sporting de la Colline', 'Jeunesse du Fleuve', 'Stade Saint-Clair'],
  farCountries: ['Karvénie', 'Valdurie', 'Stomérie'],
  stories: {
    legislation: {
      tags: ['parlement', 'logement'],
      titles: [
        'Meublés touristiques : le Parlement fixe la limite à {n} nuits par an',
        'Loyers : les locataires auront {n} jours pour contester une hausse {in}',
      ],
    },
    election: {
      tags: ['élections', 'vote'],
      titles: [
        'Élections {in} : la participation atteint {n} % à midi',
        '{person} remporte l’élection {in} avec {n} % des voix',
        'Après l’élection, un écart de {n} voix impose un nouveau dépouillement {in}',
      ],
    },
    appointment: {
      tags: ['gouvernement', 'démission'],
      titles: [
        'Transports : la ministre {person} démissionne après {n} mois',
        '{person} prend la tête du port de {place}',
      ],
    },
    scandal: {
      tags: ['corruption', 'marchés publics'],
      titles: ['Factures révélées : {n} marchés publics {in} attribués à une seule famille'],
    },
    diplomacy: {
      tags: ['diplomatie', 'traité'],
      titles: ['Traité des fleuves : la {far} et {n} autres États négocient {in}'],
    },
    opinion: {
      tags: ['tribune', 'ville'],
      titles: [
        'Pourquoi il faut fermer {n} rues de {place} aux voitures',
        'Rendez à {place} ses trains de nuit !',
      ],
    },
    investigation: {
      tags: ['enquête', 'police'],
      titles: ['Erreur de laboratoire {in} : {n} affaires classées sont rouvertes'],
    },
    court: {
      tags: ['tribunal', 'justice'],
      titles: ['Rivière polluée {in} : {company} condamné à verser {n} millions'],
    },
    crime: { tags: ['faits divers', 'police'], titles: ['Les voleurs de {n} cloches d’église arrêtés {in}'] },
    conflict: {
      tags: ['guerre', 'cessez-le-feu'],
      titles: [
        '{far} : le cessez-le-feu rompu après {n} jours',
        '{far} : {n} 000 déplacés après les bombardements',
      ],
    },
    protest: {
      tags: ['grève', 'syndicats'],
      titles: ['Bus {in} : la grève entre dans son {n}e jour', '{n} 000 infirmières défilent {in}'],
    },
    disaster: {
      tags: ['inondations', 'urgence'],
      titles: [
        'Crue près de {place} : {n} hameaux coupés du monde',
        'Séisme ressenti {in}, {n} écoles fermées',
      ],
    },
    accident: {
      tags: ['accident', 'train'],
      titles: ['Un train déraille près de {place} : {n} blessés légers'],
    },
    market: {
      tags: ['marchés', 'prix'],
      titles: ['Le blé au plus bas depuis {n} mois', 'L’action de {company} chute de {n} % en une matinée'],
    },
    earnings: {
      tags: ['entreprises', 'bénéfices'],
      titles: ['{company} : le bénéfice annuel grimpe de {n} %'],
    },
    merger: {
      tags: ['entreprises', 'fusion'],
      titles: ['{company} rachète {rival} et promet de garder {n} usines'],
    },
    product: {
      tags: ['technologie', 'transports'],
      titles: ['{company} teste {in} un bac sans équipage sur {n} traversées'],
    },
    discovery: {
      tags: ['sciences', 'archéologie'],
      titles: ['{n} pirogues de l’âge du bronze découvertes dans la vase près de {place}'],
    },
    climate: {
      tags: ['climat', 'environnement'],
      titles: [
        'Climat : {place} connaîtra {n} nuits tropicales de plus par an',
        'L’automne le plus doux depuis {n} ans {in}, selon les chercheurs',
        'Le plan climat vise une baisse des émissions de {n} % {in}',
      ],
    },
    school: {
      tags: ['éducation', 'écoles'],
      titles: [
        'L’université ouvre {n} cours du soir gratuits {in}',
        'Rentrée différée pour {n} écoles de {place}',
      ],
    },
    health: {
      tags: ['santé', 'hôpitaux'],
      titles: ['Rougeole {in} : {n} cas, vaccination ouverte ce week-end'],
    },
    sport: {
      tags: ['football', 'coupe'],
      titles: ['{team} bat {opponent} {score} devant {n} 000 spectateurs'],
    },
    obituary: { tags: ['littérature', 'disparition'], titles: ['La romancière {person} s’éteint à {n} ans'] },
    interview: {
      tags: ['entretien', 'portrait'],
      titles: ['{person} : « J’ai réparé {n} horloges en un hiver »'],
    },
    religion: {
      tags: ['religion', 'patrimoine'],
      titles: ['{n} kilomètres à pied vers la chapelle rouverte près de {place}'],
    },
    lifestyle: { tags: ['cuisine', 'loisirs'], titles: ['{n} soupes à goûter au marché d’hiver de {place}'] },
    weather: { tags: ['météo', 'tempête'], titles: ['Tempête {in} : des rafales à {n} km/h attendues'] },
  },
  rarities: [
    ['lifestyle', 'Le ragondin qui aimait l’opéra'],
    ['discovery', 'Un phonographe oublié retrouve sa voix'],
    ['opinion', 'Éloge du cœur d’artichaut'],
  ],
  standfirsts: [
    '{Body} publiera les détails jeudi ; les habitants pourront s’exprimer jusqu’à la fin du mois.',
    'Ce que l’on sait, ce que l’on ignore et ce qui peut désormais se passer {in}.',
    '{Body} a confirmé les chiffres lundi et promet un rapport sous {n} jours.',
    'Rencontre, {in}, avec celles et ceux qui suivent le dossier depuis des années.',
    'L’opposition réclame une enquête ; {body} n’en voit pas la nécessité.',
    'L’essentiel en trois minutes, en images et en cartes.',
    'Témoignages, chiffres et repères réunis par notre rédaction.',
  ],
  teasers: ['Vous n’allez pas y croire : ', 'Tout le monde en parle : ', 'CHOC ! '],
  sections: {
    politics: 'Politique',
    economy: 'Économie',
    world: 'Monde',
    society: 'Société',
    science: 'Sciences',
    sport: 'Sport',
    culture: 'Culture',
    local: 'Près de chez vous',
  },
}
