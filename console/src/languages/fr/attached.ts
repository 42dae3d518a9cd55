import type * as english from '../../features/attached/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'objet', other: 'objets' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Rattacher un bucket',
  hint: 'Affiche ici un bucket d’un moteur S3, en lecture seule. Rien n’y est copié, modifié ni supprimé.',
  step: (step) => ({ place: 'Stockage', test: 'Test', name: 'Nom', scan: 'Première analyse' })[step],
  back: 'Retour',
  // Storage
  placeTitle: 'Où sont les objets ?',
  from: 'Stockage',
  registered: 'Stockage déjà ajouté',
  new: 'Nouveau stockage',
  prefix: 'Préfixe',
  prefixHint: (location) => `Laissez vide pour tout ce qui se trouve dans ${location}.`,
  newHint: 'Utilisez des identifiants qui permettent de lister et de lire, et rien d’autre.',
  goTest: 'Tester la connexion',
  // Test
  testHint: (location) => `Ce qu’il faut pour afficher ${location} en lecture seule.`,
  testAgain: 'Tester de nouveau',
  testFailed: 'Les vérifications en échec doivent être corrigées avant de pouvoir rattacher ce bucket.',
  testWarned: 'Il peut être rattaché. Lisez d’abord les avertissements.',
  noObjects: 'Aucun objet ne s’y trouve encore. Ceux qui seront ajoutés plus tard apparaîtront d’eux-mêmes.',
  next: 'Continuer',
  // Name
  nameTitle: 'Comment s’appelle-t-il ici ?',
  bucketName: 'Nom du bucket',
  bucketHint: 'Les utilisateurs, les liens de partage et les clients S3 voient ce nom. Il ne peut pas être modifié.',
  storageName: 'Nom du stockage',
  storageHint: 'Pour les administrateurs. Le stockage est ajouté sous ce nom à la liste des stockages.',
  shows: 'Affiche',
  onStorage: 'Sur le stockage',
  attach: 'Rattacher le bucket',
  storageRefused: 'Le stockage ne peut pas être ajouté',
  bucketRefused: 'Le bucket ne peut pas être rattaché',
  storageKept: (name) => `Le stockage ${name} a été ajouté et sélectionné. Rien n’est à saisir de nouveau.`,
  attached: (bucket) => `Bucket ${bucket} rattaché`,
  // First scan
  scanTitle: (bucket) => `Le bucket ${bucket} est rattaché`,
  scanWaits: 'La première analyse va bientôt commencer.',
  scanRuns: 'La première analyse recherche les objets. Vous pouvez quitter cette page et utiliser le bucket.',
  scanEnds: (n) => `La première analyse est terminée : ${objects(n)}.`,
  scanHeld: 'La première analyse a été suspendue.',
  browse: 'Ouvrir le bucket',
  scans: 'Voir ses analyses',
}

export const scanText: Translation<typeof english.scanText> = {
  title: 'Analyses',
  hint: 'Une analyse compare ce bucket à ce que liste le moteur S3.',
  hintTakenOver:
    'Une analyse compare ce qui a été pris en charge à ce que liste le moteur S3. Ce que d’autres y ont modifié est un constat.',
  scanNow: 'Analyser maintenant',
  started: 'Analyse lancée',
  notAttached: 'Ce bucket n’est pas rattaché',
  notAttachedHint: 'Seuls les buckets qui affichent des objets d’un moteur S3 sont analysés.',
  needsManage: 'Nécessite l’autorisation « manage » sur ce bucket.',
  none: 'Aucune analyse pour le moment',
  // One that runs
  active: (status) => (status === 'queued' ? 'Analyse en attente' : 'Analyse en cours'),
  progress: 'Progression de l’analyse',
  reading: 'Interrogation du moteur pour chaque objet',
  marking: (n) =>
    `Vérification de ${plural(n, {
      one: 'objet que le moteur n’a pas listé',
      other: 'objets que le moteur n’a pas listés',
    })}`,
  at: 'Position :',
  // The list
  when: 'Début',
  trigger: 'Raison',
  triggers: (trigger) =>
    ({ attach: 'Première analyse', request: 'Demandée', schedule: 'Planifiée', take_over: 'Prise en charge' })[trigger],
  status: 'État',
  statuses: (status) =>
    ({
      queued: 'En attente',
      running: 'En cours',
      succeeded: 'Réussie',
      held: 'Suspendue',
      superseded: 'Remplacée',
    })[status],
  result: 'Résultat',
  took: 'Durée',
  details: (when) => `Détails de l’analyse du ${when}`,
  listed: (n) => plural(n, { one: 'objet listé', other: 'objets listés' }),
  added: (n) => plural(n, { one: 'nouveau', other: 'nouveaux' }),
  changed: (n) => plural(n, { one: 'modifié', other: 'modifiés' }),
  foreign: (n) => plural(n, { one: 'étranger', other: 'étrangers' }),
  changedByOthers: (n) => plural(n, { one: 'modifié par d’autres', other: 'modifiés par d’autres' }),
  absent: (n) => plural(n, { one: 'non listé', other: 'non listés' }),
  missing: (n) => plural(n, { one: 'manquant', other: 'manquants' }),
  removed: (n) => plural(n, { one: 'retiré', other: 'retirés' }),
  refused: (n) => plural(n, { one: 'impossible à afficher', other: 'impossibles à afficher' }),
  missingHint:
    'Les objets manquants sont retirés dès qu’une deuxième analyse et une dernière vérification ne les trouvent pas, au plus tôt 24 heures après.',
  why: 'Ce qui ne va pas',
  by: 'Demandée par',
  confirmedBy: 'Confirmée par',
  lastKey: 'Dernière clé',
  finished: 'Fin',
  refusedTitle: 'Objets impossibles à afficher',
  refusedFirst: (shown, all) => `Les ${formatCount(shown)} premiers sur ${formatCount(all)}.`,
  key: 'Clé',
  reason: 'Raison',
  // One that is held
  held: (reason) =>
    ({
      many_missing: 'Analyse suspendue : de nombreux objets manquent',
      empty: 'Analyse suspendue : le moteur ne liste aucun objet',
      listing_failed: 'Analyse suspendue : la liste du moteur est incomplète',
      disordered: 'Analyse suspendue : la liste du moteur n’est pas triée',
      changed: 'Pas de prise en charge : d’autres ont modifié quelque chose',
      unreadable: 'Pas de prise en charge : un objet ne peut pas être lu',
    })[reason],
  notTakenOver: 'Le bucket est toujours en lecture seule, et rien n’a été modifié sur le moteur.',
  untouched: 'Rien n’a été marqué comme manquant : tout est donc encore affiché.',
  advice: (reason) =>
    ({
      many_missing: 'S’ils existent toujours, vérifiez le stockage, puis relancez l’analyse.',
      empty:
        'S’il a été vidé volontairement, confirmez l’analyse. Sinon, vérifiez le stockage, puis relancez l’analyse.',
      listing_failed: 'Vérifiez le stockage, puis relancez l’analyse.',
      disordered: 'Ce moteur ne peut pas être analysé tant qu’il ne liste pas les clés dans l’ordre.',
      changed:
        'Ces modifications sont maintenant affichées. Trouvez qui écrit encore à cet endroit avant de relancer la prise en charge.',
      unreadable: 'Vérifiez l’objet et les identifiants sur le moteur, puis relancez la prise en charge.',
    })[reason],
  absences: (n) =>
    plural(n, { one: 'objet serait marqué comme manquant', other: 'objets seraient marqués comme manquants' }),
  noAbsences: 'Tous sont revenus entre-temps. Relancez l’analyse.',
  size: 'Taille',
  modified: 'Modifié',
  confirm: 'Confirmer l’analyse…',
  confirmAdmins: 'Seuls les administrateurs peuvent la confirmer.',
  confirmWaits: 'Attendez la fin de l’analyse en cours.',
  confirmTitle: (n) => `Marquer ${plural(n, { one: 'objet comme manquant', other: 'objets comme manquants' })} ?`,
  confirmLook: 'Chacun est d’abord vérifié de nouveau sur le moteur. Ceux qui s’y trouvent restent.',
  confirmEffect:
    'Les objets manquants ne peuvent être ni ouverts ni téléchargés. Les liens de partage indiquent que le fichier n’existe plus.',
  confirmLater:
    'Ils sont retirés, avec leurs liens et leurs étiquettes, dès qu’une autre analyse ne les trouve pas non plus, au plus tôt 24 heures après.',
  confirmAction: 'Marquer comme manquants',
  confirmed: 'Analyse confirmée',
  toStorage: 'Ouvrir le stockage',
}

export const takeOverText: Translation<typeof english.takeOverText> = {
  right: 'admin',
  title: 'Prise en charge',
  heading: (bucket) => `Prendre en charge ${bucket}`,
  intro: 'Les objets deviennent ceux de ce bucket. Aucun octet n’est copié : ils restent là où ils sont.',
  // What it is about
  objects: 'Objets',
  objectsOf: (n, size) => `${objects(n)}, ${size}`,
  place: 'Les octets restent sur',
  requests: 'Requêtes préalables',
  requestsOf: (n) =>
    n === 0 ? 'Aucune' : `${plural(n, { one: 'requête', other: 'requêtes' })} : chaque objet est demandé.`,
  quietSince: 'Inchangé depuis',
  notScanned: 'Pas encore connu',
  storage: 'Stockage des nouveaux octets',
  storageHint: 'Les envois et les nouvelles versions y sont conservés.',
  quiet: 'Heures sans modification',
  quietHint: 'Durée pendant laquelle les analyses ne doivent avoir trouvé aucune modification par d’autres.',
  // What happens
  happens: 'Ce qui se passe',
  willCompare:
    'Chaque objet est demandé, puis une dernière analyse compare la liste. Si d’autres ont modifié quelque chose, le bucket reste en lecture seule.',
  willWork: (storage) =>
    `Ensuite, il fonctionne comme tout autre bucket, avec quota, corbeille, versions, envois et politiques de nettoyage. Les nouveaux octets vont sur le stockage ${storage}.`,
  willDelete:
    'Ce qui est supprimé ou remplacé ici est aussi supprimé sur le moteur, après la corbeille et le délai de grâce.',
  willFind: 'Ce que d’autres y modifient ensuite est signalé comme constat. Rien n’est jamais fusionné.',
  // Whether it can be
  checkAgain: 'Vérifier de nouveau',
  ready: 'Il peut être pris en charge.',
  notReady: 'Il ne peut pas encore être pris en charge',
  problem: (code) =>
    ({
      not_scanned: 'Aucune analyse n’est encore terminée',
      not_quiet: 'Pas assez longtemps sans modification',
      scan_held: 'La dernière analyse est suspendue',
      missing: 'Des objets manquent',
      weak: 'Le moteur n’a pas d’ETags',
      not_removable: 'Les identifiants ne permettent pas de supprimer',
      unreachable: 'Le moteur ne répond pas comme il le devrait',
    })[code],
  busy: 'Une analyse est en cours. Attendez qu’elle se termine.',
  failed: 'La vérification est impossible',
  missing: (n) => plural(n, { one: 'objet marqué comme manquant', other: 'objets marqués comme manquants' }),
  moreMissing: (n) => `Et ${formatCount(n)} de plus`,
  withoutMissing: 'Prendre en charge sans eux',
  withoutMissingHint:
    'Ils sont recherchés une dernière fois. Le bucket oublie ceux qui ont disparu, et leurs liens prennent fin.',
  confirmed: 'Plus personne d’autre n’écrit à cet endroit',
  confirmedHint: 'Y compris les applications, les sauvegardes et les règles de cycle de vie du moteur.',
  start: 'Prendre en charge',
  started: 'Prise en charge du bucket en cours',
  back: 'Retour',
  scans: 'Voir ses analyses',
  settings: 'Paramètres',
  browse: 'Ouvrir le bucket',
  // While it runs
  runs: (bucket) => `Prise en charge de ${bucket}`,
  waits: 'L’analyse va bientôt commencer.',
  readingHint: 'Étape 1 sur 2 : chaque objet est demandé.',
  listingHint: 'Étape 2 sur 2 : la liste du moteur est comparée.',
  runsHint: 'Si d’autres ont modifié quelque chose, le bucket reste en lecture seule. Vous pouvez quitter cette page.',
  // The end
  done: (bucket) => `Le bucket ${bucket} a été pris en charge`,
  doneHint: (storage) =>
    `Ses objets peuvent maintenant être modifiés et supprimés ici. Les nouveaux octets vont sur le stockage ${storage} ; les plus anciens restent là où ils sont.`,
  doneTrash: (days) =>
    days === 0
      ? 'Sa corbeille est désactivée. La corbeille et le quota se trouvent dans ses paramètres.'
      : `Sa corbeille conserve les fichiers pendant ${plural(days, { one: 'jour', other: 'jours' })}. La corbeille et le quota se trouvent dans ses paramètres.`,
  notAttached: 'Ce bucket n’est pas rattaché',
  notAttachedHint: 'Seuls les buckets qui affichent des objets d’un moteur S3 peuvent être pris en charge.',
}

export const findingText: Translation<typeof english.findingText> = {
  title: 'Constats',
  hint: 'Ce que d’autres ont modifié sur le moteur depuis la prise en charge de ce bucket. Rien n’est jamais fusionné dans le bucket.',
  none: 'Aucun constat',
  noneHint:
    'D’après la dernière analyse, personne d’autre n’a rien modifié à l’endroit où ce bucket a été pris en charge.',
  notTakenOver: 'Ce bucket n’a pas été pris en charge',
  notTakenOverHint: 'Les constats sont des modifications par d’autres dans des buckets qui ont été pris en charge.',
  meaning: 'Ce qu’ils signifient',
  list: 'Constats',
  kind: 'Nature',
  kinds: (kind) => ({ changed: 'Modifié', missing: 'Manquant', foreign: 'Étranger' })[kind],
  meanings: (kind) =>
    ({
      changed:
        'D’autres l’ont remplacé sur le moteur. Si le moteur conserve les versions, l’objet peut encore être lu ; sinon, envoyez-le de nouveau ou supprimez-le ici.',
      missing:
        'D’autres l’ont supprimé sur le moteur. Si le moteur conserve les versions, l’objet peut encore être lu ; sinon, envoyez-le de nouveau ou supprimez-le ici.',
      foreign:
        'D’autres l’ont ajouté sur le moteur. Il n’est pas affiché ici : si vous le voulez, envoyez-le ici, puis supprimez-le là-bas.',
    })[kind],
  key: 'Clé sur le moteur',
  object: 'Objet ici',
  noObject: 'Aucun objet actuel',
  size: 'Taille actuelle',
  gone: 'Disparu',
  found: 'Trouvé',
  most: 'Les 1 000 premiers sont listés. La dernière analyse donne les nombres.',
  toScans: 'Voir ses analyses',
  ends: 'Un constat disparaît dès qu’une analyse ne le trouve plus.',
}
