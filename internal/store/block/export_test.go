package block

var CountedBundles = countedBundles
