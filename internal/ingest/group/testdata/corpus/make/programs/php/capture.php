<?php
// Runs statements of an application, and prints what was thrown: one line of JSON per statement. usage: capture.php ROOT < STATEMENTS
set_error_handler(function ($level, $message, $file, $line) { throw new ErrorException($message, 0, $level, $file, $line); });
require $argv[1] . '/shop.php';
function plain(Throwable $e) {
    return ['cls' => get_class($e), 'message' => $e->getMessage(), 'file' => $e->getFile(), 'line' => $e->getLine(), 'trace' => array_map(fn ($f) => array_diff_key($f, ['args' => 1]), $e->getTrace()),
        'text' => $e->getTraceAsString(), 'cause' => $e->getPrevious() ? plain($e->getPrevious()) : null];
}
foreach (explode("\n", trim(stream_get_contents(STDIN))) as $statement) {
    file_put_contents($argv[1] . '/index.php', "<?php\nnamespace Kiosk;\n\n$statement;\n");
    if (function_exists('opcache_invalidate')) opcache_invalidate($argv[1] . '/index.php', true);
    try { include $argv[1] . '/index.php'; echo '{"cls": "none"}', "\n"; } catch (Throwable $e) { echo json_encode(plain($e), JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_SLASHES), "\n"; }
}
