<?php
namespace Kiosk;
// NEW RELEASE

class Declined extends \RuntimeException {}
class Gone extends \DomainException {}
interface Bank { function pay(int $n); function refund(int $n); }

class Cart {
    function __construct(public array $items) {}
    function total() { return array_sum(array_map(function ($i) { return $i->price(); }, $this->items)); }
    function names() { return array_map(fn ($i) => $i->name(), $this->items); }
    function ship(string $country) {
        if ($country === 'nowhere') throw new Declined('cannot ship');
        if (!$this->items) throw new Declined('cannot ship');
    }
    static function load($id) { throw new Gone("cart $id is gone"); }
    function __call($name, $args) { throw new \BadMethodCallException("Method $name does not exist"); }
    // NEW LINES
    function lines() { foreach ($this->items as $i) yield $i->price(); }
    function texts() { foreach ($this->items as $i) yield $i->name(); }
}

function order($id) { throw new Gone("order $id is gone"); }
function invoice($id) { throw new Gone("invoice $id is gone"); }
function street(array $o) { return $o['street']; }
function city(array $o) { return $o['city']; }
function ratio($a, $b) { return intdiv($a, $b); }
function share($a, $b) { return intdiv($a, $b); }
function rates($text) { return json_decode($text, false, 8, JSON_THROW_ON_ERROR); }
function users($text) { return json_decode($text, false, 8, JSON_THROW_ON_ERROR); }
function day($text) { return new \DateTime($text); }
function status($code) { throw new Declined("the bank answered with status $code", $code); }
function sql($code) { throw new \PDOException("SQLSTATE[$code]: statement failed"); }
function typed(int $n) { return $n; }
function typed2(\Countable $n) { return $n; }
function required($value, $what) { return $value ?? throw new \InvalidArgumentException("$what is missing"); }
function needStreet() { return required(null, 'the street'); }
function needCity() { return required(null, 'the city'); }
function step(callable $c) { try { return $c(); } catch (\Throwable $e) { throw new Declined('step failed', 0, $e); } }
function deep($n) { return $n ? deep($n - 1) : throw new Gone('bottom'); }
function sorted() { $l = [2, 1]; usort($l, function ($a, $b) { throw new Declined('not comparable'); }); }
function sorted2() { $l = [2, 1]; usort($l, function ($a, $b) { throw new Declined('not comparable'); }); }
function closure($kind) { return ['card' => function () { throw new Declined('no way'); }, 'bank' => fn () => throw new Declined('no way')][$kind](); }
function anonymous() { (new class { function go() { throw new Declined('anonymous'); } })->go(); }
function anonymous2() { (new class { function go() { throw new Declined('anonymous'); } })->go(); }
function bad(array $mocks) { (new class implements Bank { function pay(int $n) { throw new Declined("payment $n was declined"); } function refund(int $n) { throw new Declined("payment $n was declined"); } })->{$mocks[0]}($mocks[1]); }
function emptied() { throw new Declined(); }
function emptied2() { throw new Declined(); }
function file($path) { return \file_get_contents($path); }
function undefined() { return $nothing; }
function undefined2() { return $lost; }
