package locale

import "maps"

// row is a text in every language: English, German, French, Spanish, Portuguese, Japanese.
type row = [columns]string

// texts is the catalogue: what status pages say around the texts of their owners. A test checks that no cell is empty and that
// the values of a row are the same in each.
var texts = joined(onPages, forVisitors, automatic)

func joined(parts ...map[string]row) map[string]row {
	all := map[string]row{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// onPages are the texts of the pages, of feeds and of badges.
var onPages = map[string]row{
	// Dates and numbers.
	"date_minute":    {"{d} {short} {y}, {time} UTC", "{d}. {short} {y}, {time} UTC", "{d} {short} {y}, {time} UTC", "{d} {short} {y}, {time} UTC", "{d} de {short} de {y}, {time} UTC", "{y}年{short}{d}日 {time} UTC"},
	"date_day":       {"{d} {long} {y}", "{d}. {long} {y}", "{d} {long} {y}", "{d} de {long} de {y}", "{d} de {long} de {y}", "{y}年{long}{d}日"},
	"date_short":     {"{d} {short}", "{d}. {short}", "{d} {short}", "{d} {short}", "{d} de {short}", "{short}{d}日"},
	"date_month":     {"{long} {y}", "{long} {y}", "{long} {y}", "{long} de {y}", "{long} de {y}", "{y}年{long}"},
	"decimal_point":  {".", ",", ",", ",", ",", "."},
	"percent":        {"%s%%", "%s\u00a0%%", "%s\u00a0%%", "%s\u00a0%%", "%s%%", "%s%%"},
	"list_separator": {", ", ", ", ", ", ", ", ", ", "、"},
	"span_separator": {" ", " ", " ", " ", " ", ""},
	"seconds.one":    {"%d second", "%d Sekunde", "%d seconde", "%d segundo", "%d segundo", "%d秒"},
	"seconds.other":  {"%d seconds", "%d Sekunden", "%d secondes", "%d segundos", "%d segundos", "%d秒"},
	"minutes.one":    {"%d minute", "%d Minute", "%d minute", "%d minuto", "%d minuto", "%d分"},
	"minutes.other":  {"%d minutes", "%d Minuten", "%d minutes", "%d minutos", "%d minutos", "%d分"},
	"hours.one":      {"%d hour", "%d Stunde", "%d heure", "%d hora", "%d hora", "%d時間"},
	"hours.other":    {"%d hours", "%d Stunden", "%d heures", "%d horas", "%d horas", "%d時間"},
	"days.one":       {"%d day", "%d Tag", "%d jour", "%d día", "%d dia", "%d日"},
	"days.other":     {"%d days", "%d Tage", "%d jours", "%d días", "%d dias", "%d日"},

	// The headline, and the states of components, groups and incidents.
	"all_up":           {"All systems operational", "Alle Systeme funktionieren", "Tous les systèmes fonctionnent", "Todos los sistemas funcionan", "Todos os sistemas estão funcionando", "すべてのシステムは正常です"},
	"some_down":        {"Some systems are experiencing problems", "Einige Systeme haben Probleme", "Certains systèmes rencontrent des problèmes", "Algunos sistemas tienen problemas", "Alguns sistemas estão com problemas", "一部のシステムで問題が発生しています"},
	"all_down":         {"Major outage", "Schwerwiegende Störung", "Panne majeure", "Interrupción grave", "Interrupção grave", "大規模な障害が発生しています"},
	"in_maintenance":   {"Scheduled maintenance in progress", "Geplante Wartung läuft", "Maintenance planifiée en cours", "Mantenimiento programado en curso", "Manutenção programada em andamento", "定期メンテナンスを実施中です"},
	"no_checks":        {"No checks have run yet", "Noch keine Prüfungen durchgeführt", "Aucune vérification n’a encore été effectuée", "Aún no se ha realizado ninguna comprobación", "Nenhuma verificação foi feita ainda", "まだチェックは実行されていません"},
	"paused_checks":    {"Checks are paused", "Prüfungen sind pausiert", "Les vérifications sont en pause", "Las comprobaciones están en pausa", "As verificações estão pausadas", "チェックは一時停止中です"},
	"state_up":         {"Up", "Verfügbar", "Disponible", "Disponible", "Disponível", "正常"},
	"state_reporting":  {"Reporting", "Meldet sich", "Signal reçu", "Informa", "Reportando", "報告あり"},
	"state_down":       {"Down", "Ausgefallen", "En panne", "Caído", "Fora do ar", "停止"},
	"state_failing":    {"Failing", "Fehlgeschlagen", "En échec", "Con fallos", "Com falhas", "失敗"},
	"state_missing":    {"Missing", "Überfällig", "Aucun signal", "Sin señal", "Sem sinal", "報告なし"},
	"state_degraded":   {"Degraded", "Eingeschränkt", "Dégradé", "Degradado", "Degradado", "性能低下"},
	"state_partial":    {"Partial outage", "Teilausfall", "Panne partielle", "Interrupción parcial", "Interrupção parcial", "一部停止"},
	"state_major":      {"Major outage", "Schwerer Ausfall", "Panne majeure", "Interrupción grave", "Interrupção grave", "重大な障害"},
	"until":            {"Until %s.", "Bis %s.", "Jusqu’au %s.", "Hasta el %s.", "Até %s.", "%sまで。"},
	"impact":           {"Impact: %s", "Auswirkung: %s", "Impact : %s", "Impacto: %s", "Impacto: %s", "影響度: %s"},
	"impact_none":      {"none", "keine", "aucun", "ninguno", "nenhum", "なし"},
	"impact_minor":     {"minor", "gering", "mineur", "leve", "leve", "軽微"},
	"impact_major":     {"major", "groß", "majeur", "grave", "grave", "重大"},
	"impact_critical":  {"critical", "kritisch", "critique", "crítico", "crítico", "致命的"},
	"with_state":       {"%[1]s (%[2]s)", "%[1]s (%[2]s)", "%[1]s (%[2]s)", "%[1]s (%[2]s)", "%[1]s (%[2]s)", "%[1]s（%[2]s）"},
	"state_mixed":      {"Some problems", "Teilweise gestört", "Quelques problèmes", "Algunos problemas", "Alguns problemas", "一部に問題"},
	"state_maintained": {"Maintenance", "Wartung", "Maintenance", "Mantenimiento", "Manutenção", "メンテナンス"},
	"state_paused":     {"Paused", "Pausiert", "En pause", "En pausa", "Pausado", "一時停止"},
	"state_unknown":    {"No data yet", "Noch keine Daten", "Pas encore de données", "Aún sin datos", "Ainda sem dados", "データなし"},
	"investigating":    {"Investigating", "Wird untersucht", "En cours d’analyse", "En investigación", "Em investigação", "調査中"},
	"identified":       {"Identified", "Ursache gefunden", "Cause identifiée", "Causa identificada", "Causa identificada", "原因特定"},
	"monitoring":       {"Monitoring", "Wird beobachtet", "Sous surveillance", "En observación", "Em observação", "経過観察中"},
	"resolved":         {"Resolved", "Behoben", "Résolu", "Resuelto", "Resolvido", "解決済み"},
	"scheduled":        {"Scheduled", "Geplant", "Planifiée", "Programado", "Programada", "予定"},
	"in_progress":      {"In progress", "Läuft", "En cours", "En curso", "Em andamento", "実施中"},
	"completed":        {"Completed", "Abgeschlossen", "Terminée", "Completado", "Concluída", "完了"},

	"postmortem":    {"Post-mortem", "Nachbericht", "Post-mortem", "Informe posterior", "Post-mortem", "事後報告"},
	"postmortem_of": {"Post-mortem: %s", "Nachbericht: %s", "Post-mortem : %s", "Informe posterior: %s", "Post-mortem: %s", "事後報告: %s"},
	"published":     {"Published %s.", "Veröffentlicht: %s.", "Publié le %s.", "Publicado: %s.", "Publicado: %s.", "公開日時: %s。"},

	// The bars of 90 days.
	"over_days":        {"%[1]s over %[2]d days", "%[1]s in %[2]d Tagen", "%[1]s sur %[2]d jours", "%[1]s en %[2]d días", "%[1]s em %[2]d dias", "%[2]d日間で%[1]s"},
	"since_today":      {"%s since today", "%s seit heute", "%s depuis aujourd’hui", "%s desde hoy", "%s desde hoje", "今日から%s"},
	"days_ago":         {"90 days ago", "vor 90 Tagen", "il y a 90 jours", "hace 90 días", "há 90 dias", "90日前"},
	"today":            {"today", "heute", "aujourd’hui", "hoy", "hoje", "今日"},
	"bare":             {"%s without data", "%s ohne Daten", "%s sans données", "%s sin datos", "%s sem dados", "%sデータなし"},
	"partly_bare":      {"%d without data", "davon %d ohne Daten", "dont %d sans données", "%d sin datos", "%d sem dados", "うち%d日データなし"},
	"with_gaps":        {"%d with gaps in the data", "davon %d mit Lücken in den Daten", "dont %d avec des données incomplètes", "%d con datos incompletos", "%d com dados incompletos", "うち%d日データ欠落あり"},
	"no_outage":        {"no outage", "kein Ausfall", "aucune panne", "ninguna caída", "nenhuma queda", "障害なし"},
	"outage_on":        {"1 outage of %s on %s", "1 Ausfall von %s am %s", "1 panne de %s le %s", "1 caída de %s el %s", "1 queda de %s em %s", "障害1件、計%s（%s）"},
	"outage_from":      {"1 outage of %s from %s to %s", "1 Ausfall von %s vom %s bis %s", "1 panne de %s du %s au %s", "1 caída de %s del %s al %s", "1 queda de %s de %s a %s", "障害1件、計%s（%s～%s）"},
	"outages_on":       {"%d outages of %s in all on %s", "%d Ausfälle von insgesamt %s am %s", "%d pannes de %s au total le %s", "%d caídas de %s en total el %s", "%d quedas de %s no total em %s", "障害%d件、計%s（%s）"},
	"outages_between":  {"%d outages of %s in all between %s and %s", "%d Ausfälle von insgesamt %s zwischen %s und %s", "%d pannes de %s au total entre le %s et le %s", "%d caídas de %s en total entre el %s y el %s", "%d quedas de %s no total entre %s e %s", "障害%d件、計%s（%s～%s）"},
	"group_components": {"%s: its components", "%s: Komponenten", "%s : composants", "%s: componentes", "%s: componentes", "%sの構成要素"},

	// Response times of 24 hours.
	"response_time":  {"Response time, 24 hours", "Antwortzeit, 24 Stunden", "Temps de réponse, 24 heures", "Tiempo de respuesta, 24 horas", "Tempo de resposta, 24 horas", "応答時間（24時間）"},
	"response_mean":  {"%s on average", "im Mittel %s", "%s en moyenne", "%s de media", "%s em média", "平均%s"},
	"response_hours": {"Average by the hour: %s", "Mittel je Stunde: %s", "Moyenne par heure : %s", "Media por hora: %s", "Média por hora: %s", "1時間ごとの平均: %s"},
	"response_range": {"%s to %s", "%s bis %s", "de %s à %s", "de %s a %s", "de %s a %s", "%s～%s"},

	// The page.
	"skip":           {"Skip to content", "Zum Inhalt springen", "Aller au contenu", "Saltar al contenido", "Ir para o conteúdo", "本文へ移動"},
	"get_updates":    {"Get updates", "Updates abonnieren", "Recevoir les mises à jour", "Recibir novedades", "Receber atualizações", "更新を受け取る"},
	"checked":        {"Updated %s.", "Aktualisiert: %s.", "Mis à jour le %s.", "Actualizado: %s.", "Atualizado: %s.", "更新日時: %s。"},
	"utc":            {"Times are in UTC.", "Zeiten in UTC.", "Les heures sont en UTC.", "Las horas están en UTC.", "Os horários estão em UTC.", "時刻はUTCです。"},
	"own_zone":       {"Times are in your time zone, %s.", "Zeiten in Ihrer Zeitzone, %s.", "Les heures sont dans votre fuseau horaire, %s.", "Las horas están en su zona horaria, %s.", "Os horários estão no seu fuso horário, %s.", "時刻はお使いのタイムゾーン（%s）です。"},
	"active":         {"Active incidents", "Aktuelle Störungen", "Incidents en cours", "Incidentes activos", "Incidentes ativos", "発生中のインシデント"},
	"maintenance":    {"Scheduled maintenance", "Geplante Wartung", "Maintenance planifiée", "Mantenimiento programado", "Manutenção programada", "定期メンテナンス"},
	"components":     {"Components", "Komponenten", "Composants", "Componentes", "Componentes", "コンポーネント"},
	"no_components":  {"This page has no components yet.", "Diese Seite hat noch keine Komponenten.", "Cette page n’a pas encore de composants.", "Esta página aún no tiene componentes.", "Esta página ainda não tem componentes.", "このページにはまだコンポーネントがありません。"},
	"past":           {"Past incidents", "Vergangene Störungen", "Incidents passés", "Incidentes anteriores", "Incidentes anteriores", "過去のインシデント"},
	"full_history":   {"Full history", "Gesamter Verlauf", "Historique complet", "Historial completo", "Histórico completo", "すべての履歴"},
	"nothing_past":   {"No incidents in the last 14 days.", "Keine Störungen in den letzten 14 Tagen.", "Aucun incident ces 14 derniers jours.", "Ningún incidente en los últimos 14 días.", "Nenhum incidente nos últimos 14 dias.", "過去14日間にインシデントはありません。"},
	"see_all":        {"See all incidents", "Alle Störungen anzeigen", "Voir tous les incidents", "Ver todos los incidentes", "Ver todos os incidentes", "すべてのインシデントを見る"},
	"history":        {"History", "Verlauf", "Historique", "Historial", "Histórico", "履歴"},
	"no_incidents":   {"No incidents yet.", "Noch keine Störungen.", "Aucun incident pour l’instant.", "Aún no hay incidentes.", "Nenhum incidente ainda.", "インシデントはまだありません。"},
	"pages":          {"Pages", "Seiten", "Pages", "Páginas", "Páginas", "ページ"},
	"newer":          {"Newer", "Neuere", "Plus récents", "Más recientes", "Mais recentes", "新しい"},
	"older":          {"Older", "Ältere", "Plus anciens", "Más antiguos", "Mais antigos", "古い"},
	"current_status": {"Current status", "Aktueller Status", "État actuel", "Estado actual", "Status atual", "現在の状況"},
	"all_updates":    {"All updates", "Alle Meldungen", "Toutes les mises à jour", "Todas las novedades", "Todas as atualizações", "すべての更新"},
	"all_updates_of": {"All updates: %s", "Alle Meldungen: %s", "Toutes les mises à jour : %s", "Todas las novedades: %s", "Todas as atualizações: %s", "すべての更新: %s"},
	"scheduled_at":   {"Scheduled: %s", "Geplant: %s", "Prévue : %s", "Programado: %s", "Programada: %s", "予定: %s"},
	"scheduled_from": {"Scheduled: %s to %s", "Geplant: %s bis %s", "Prévue : du %s au %s", "Programado: de %s a %s", "Programada: de %s a %s", "予定: %s～%s"},
	"affects":        {"Affects: %s", "Betroffen: %s", "Concerne : %s", "Afecta a: %s", "Afeta: %s", "影響: %s"},
	"incidents":      {"Incidents", "Störungen", "Incidents", "Incidentes", "Incidentes", "インシデント"},
	"atom_feed":      {"Atom feed", "Atom-Feed", "Flux Atom", "Canal Atom", "Feed Atom", "Atomフィード"},
	"json_feed":      {"JSON feed", "JSON-Feed", "Flux JSON", "Canal JSON", "Feed JSON", "JSONフィード"},
	"status_json":    {"Status as JSON", "Status als JSON", "État en JSON", "Estado en JSON", "Status em JSON", "JSON形式の状況"},
	"powered_by":     {"Powered by sett", "Bereitgestellt mit sett", "Propulsé par sett", "Con la tecnología de sett", "Desenvolvido com sett", "Powered by sett"},
	"back":           {"Back to the status page", "Zurück zur Statusseite", "Retour à la page d’état", "Volver a la página de estado", "Voltar à página de status", "ステータスページに戻る"},

	// The badge.
	"badge_label":       {"status", "Status", "état", "estado", "status", "状況"},
	"badge_up":          {"up", "verfügbar", "disponible", "disponible", "disponível", "正常"},
	"badge_mixed":       {"partly down", "teilweise gestört", "en partie en panne", "caído en parte", "parcialmente fora do ar", "一部停止"},
	"badge_down":        {"down", "ausgefallen", "en panne", "caído", "fora do ar", "停止"},
	"badge_maintenance": {"maintenance", "Wartung", "maintenance", "mantenimiento", "manutenção", "メンテナンス"},
	"badge_unknown":     {"no data", "keine Daten", "pas de données", "sin datos", "sem dados", "データなし"},
}
