"""What each player gets from a game, as WebAssembly: a number from 0 (the worst) to 1.

At an end it is what that pays, or who is before whom. Where a random game was cut off and numbers say who is
ahead (kernel/standing.py), it is by how much: for as much as is usual in the search so far three quarters.
For this is kept, at DISTANCE, how far players were from each other, added up, and how many.
"""

from __future__ import annotations

PAYOFFS = """
(func (param $stop i32)  ;; what each player gets at the end of that number
    (local $p $q $i $ahead i32) (local $one $two i64)
    (call result 0)
    (if (i32.load8_u $stop +PAYS) (then
        (loop $pay
            (f64.store (i32.shl $p 3)
                (f64.mul (f64.sub (f64.convert_i64_s (i64.load (i32.mul $p ROW) +KEYS)) (f64.load SCALE))
                    (f64.load SCALE +8)) +GAIN)
            (set $p (i32.add $p 1))
            (br_if $pay (i32.lt_u $p PLAYERS)))
        (return)))
    (loop $rank
        (set $ahead OTHERS)
        (set $q 0)
        (loop $other
            (set $i 0)
            (block $done (loop $key
                (set $one (i64.load (i32.add (i32.mul $p ROW) $i) +KEYS))
                (set $two (i64.load (i32.add (i32.mul $q ROW) $i) +KEYS))
                (if (i64.gt_s $one $two) (then
                    (set $ahead (i32.add $ahead 1))
                    (br $done)))
                (if (i64.lt_s $one $two) (then
                    (set $ahead (i32.sub $ahead 1))
                    (br $done)))
                (set $i (i32.add $i 8))
                (br_if $key (i32.lt_u $i ROW))))
            (set $q (i32.add $q 1))
            (br_if $other (i32.lt_u $q PLAYERS)))
        (f64.store (i32.shl $p 3) (f64.div (f64.convert_i32_s $ahead) TWICE_OTHERS) +GAIN)
        (set $p (i32.add $p 1))
        (br_if $rank (i32.lt_u $p PLAYERS))))
"""

EVEN = """
(func  ;; nobody has won
    (local $p i32)
    (loop $next
        (f64.store (i32.shl $p 3) 0.5 +GAIN)
        (set $p (i32.add $p 1))
        (br_if $next (i32.lt_u $p PLAYERS))))
"""

APART = """
(func  ;; it is not known yet how far players are from each other
    (f64.store DISTANCE 1)
    (f64.store DISTANCE 1 +8))
"""

AHEAD = """
(func (param $p $q i32) (result f64)  ;; how far one is ahead of another, at least by 1
    (local $i i32) (local $one $two i64)
    (set $one (i64.load (i32.mul $p ROW) +KEYS))
    (set $two (i64.load (i32.mul $q ROW) +KEYS))
    (if (i64.ne $one $two) (then
        (return (f64.sub (f64.convert_i64_s $one) (f64.convert_i64_s $two)))))
    (block $even (loop $key
        (set $i (i32.add $i 8))
        (br_if $even (i32.ge_u $i ROW))
        (set $one (i64.load (i32.add (i32.mul $p ROW) $i) +KEYS))
        (set $two (i64.load (i32.add (i32.mul $q ROW) $i) +KEYS))
        (if (i64.gt_s $one $two) (then (return 1)))
        (if (i64.lt_s $one $two) (then (return -1)))
        (br $key)))
    (return 0))
"""

STANDING = """
(func (param $stop i32)  ;; what each player may hope for, by how far he is ahead of each other one
    (local $p $q i32) (local $ahead $far $sum $usual f64)
    (call result 0)
    (set $usual (f64.div (f64.load DISTANCE) (f64.load DISTANCE +8)))
    (loop $player
        (set $sum 0)
        (set $q 0)
        (loop $other
            (if (i32.ne $p $q) (then
                (set $ahead (call ahead $p $q))
                (set $far (f64.max $ahead (f64.sub 0 $ahead)))
                (f64.store DISTANCE (f64.add (f64.load DISTANCE) $far))
                (f64.store DISTANCE (f64.add (f64.load DISTANCE +8) 1) +8)
                (set $sum (f64.add $sum (f64.div $ahead (f64.add $far $usual))))))
            (set $q (i32.add $q 1))
            (br_if $other (i32.lt_u $q PLAYERS)))
        (f64.store (i32.shl $p 3) (f64.mul 0.5 (f64.add 1 (f64.div $sum OTHERS_REAL))) +GAIN)
        (set $p (i32.add $p 1))
        (br_if $player (i32.lt_u $p PLAYERS))))
"""

FOLLOW = """
(func (param $stop i32) (param $longest i64)  ;; a random game from there, and what each player gets
    (local $to i32)
    (set $to (call rollout $stop $longest))
    (if (i32.lt_s $to 0) (then (call even) (return)))
    (if (i32.load CUT) (then (call standing $to)) (else (call payoffs $to))))
"""

TEXTS = {
    "payoffs": PAYOFFS, "even": EVEN, "apart": APART, "ahead": AHEAD, "standing": STANDING, "follow": FOLLOW,
}  # fmt: skip
