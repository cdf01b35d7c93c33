package work

const PiecesAtOnce = piecesAtOnce
