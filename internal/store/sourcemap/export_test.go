package sourcemap

// Statements are those that look something up, with their arguments.
var Statements = map[string][]any{
	findFile: {1, []byte{1}}, sameMap: {1, "", "", ""}, byDebugID: {1, "a"}, findMapFile: {1, 1, ""},
	dropFile: {1}, oldestMaps: {1, 1}, unusedMaps: {1, 1, 1}, revisionMaps: {1, "", 1}, oneMap: {1, 1}, touchMap: {1, 1, 1},
	hasUnused: {1, 1}, readFile: {1, 1}, listMaps: {1, 1, 1, 1}, listMapsBack: {1, 1, 1, 1}, listMapsOf: {1, 1, 1, 1, ""}, listMapsOfBack: {1, 1, 1, 1, ""}, someURLs: {1, ""},
}

// ByURL finds maps by their URL; its parts are scanned, and no table.
const ByURL = byURL
