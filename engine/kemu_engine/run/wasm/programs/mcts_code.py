"""Monte-Carlo tree search as WebAssembly: the functions, which depend on no rules.

The tree lies behind all that has a fixed place. A node that has been expanded has one block, which it may
share with others of the same position (transpositions.py): what is known of that, then for each child
what choosing it takes (HOT bytes: its value for the player who chooses, of 4 bytes, and how uncertain that
is, one over the root of its visits), then all else that is known of each (COLD bytes), at a chance node the
weights, added up, of 8 bytes each.

| COLD | bytes |
| --- | --- |
| KIDS, KIDS_N | 4, 4: the address of its own block, 0 if there is none yet; how many children it has |
| VISITS | 4 |
| STOP | 4: the number of its stop, -1 if nobody has been there, -2 if the rules break down there |
| STATE | 4: where its position is kept (where rules ask what has been, only that of the root: what was noted
since is noted again), or of an end what each player gets (8 bytes each); 0 if it is not |
| ACTOR | 4: who acts there, -1 if nobody |
| SUM | 8: what the visits brought the player who chooses it, added up |
| LOW, HIGH | 8, 8: bounds, proved, of what it is worth to the first of two players |
| MOVE_AT | the move that leads there, as `step` has it |

What a player gets is a number from 0 (the worst) to 1.
"""

LN = """
(func (param $n i32) (result f64) (local $more f64)  ;; the natural logarithm
    (block $done (loop $again
        (br_if $done (i32.lt_u $n LOGARITHMS))
        (set $n (i32.shr_u $n 1))
        (set $more (f64.add $more 0.6931471805599453))
        (br $again)))
    (f64.add $more (f64.load (i32.shl $n 3) +LOGS)))
"""

ALLOC = """
(func (param $size i32) (result i32) (local $at i32)  ;; so many bytes more for the tree; 0: there is no room
    (set $at (i32.load TOP))
    (set $size (i32.and (i32.add $size 7) -8))
    (if (i64.gt_u (i64.add (i64.extend_i32_u $at) (i64.extend_i32_u $size)) MOST) (then (return 0)))
    (if (i32.eqz (call fits (i64.add (i64.extend_i32_u $at) (i64.extend_i32_u $size)))) (then (return 0)))
    (i32.store TOP (i32.add $at $size))
    $at)
"""

BEST = """
(func (param $kids $count i32) (param $wide f32) (result i32)  ;; the number of the child to look at next
    (local $at $end $best i32) (local $worth $most f32)
    (set $at $kids)
    (set $best $kids)
    (set $end (i32.add $kids (i32.mul $count HOT)))
    (set $most -1e30)
    (loop $next
        (set $worth (f32.add (f32.load $at) (f32.mul $wide (f32.load $at +4))))
        (if (f32.gt $worth $most) (then
            (set $most $worth)
            (set $best $at)))
        (set $at (i32.add $at HOT))
        (br_if $next (i32.lt_u $at $end)))
    (i32.div_u (i32.sub $best $kids) HOT))
"""

LIKELY = """
(func (param $kids $count i32) (result i32)  ;; the number of an outcome, as likely as its weight says
    (local $at $first i32) (local $drawn i64)
    (set $first (i32.add $kids (i32.mul $count HOT_COLD)))
    (set $drawn (call below CHOICES (i64.load (i32.add $first (i32.mul (i32.sub $count 1) 8)))))
    (set $at $first)
    (block $found (loop $next
        (br_if $found (i64.lt_u $drawn (i64.load $at)))
        (set $at (i32.add $at 8))
        (br $next)))
    (i32.div_u (i32.sub $at $first) 8))
"""

LINK = "(if (call linked $node $to $level) (then (return 1)))"

EXPAND = """
(func (param $node $to $level i32) (result i32)  ;; makes the moves listed its children; 0: there is no room
    (local $count $kids $hot $cold $end $from $at i32) (local $sum i64) (local $worth f64)
    (i32.store $node (i32.load WHO) +ACTOR)
    (i32.store $node $to +STOP)
    {linked}
    (set $count (global.get MOVES))
    (set $at (i32.mul $count HOT_COLD))
    (if (i32.lt_s (i32.load WHO) 0) (then (set $at (i32.add $at (i32.mul $count 8)))))
    (set $kids (call alloc (i32.add (i32.add $at SIZE) HEAD)))
    (if (i32.eqz $kids) (then (return 0)))
    (set $kids (i32.add $kids HEAD))
    (set $at (i32.add $kids $at))
    {save}
    (if {kept} (then (i32.store $node $at +STATE)))
    (i32.store $node $kids +KIDS)
    (i32.store $node $count +KIDS_N)
    (i32.store (i32.sub $kids HEAD) (i32.load $node +VISITS) +PASSED)
    (i32.store (i32.sub $kids HEAD) $count +KIDS_OF)
    (call noted $kids $level $at)
    (set $hot $kids)
    (set $end (i32.add $kids (i32.mul $count HOT)))
    (set $cold $end)
    (set $from LIST)
    (loop $next
        (set $worth (f64.add URGENCY (f64.mul NOISE (call noise))))
        (if (i32.ge_s (i32.load WHO) 0) (then
            (set $worth (f64.add $worth (call elsewhere (i32.load WHO) $from)))))
        (f32.store $hot (f32.demote_f64 $worth))
        (f32.store $hot URGENCY +4)
        (i64.store $cold 0 +KIDS)
        (i32.store $cold 0 +VISITS)
        (i32.store $cold -1 +STOP)
        (i32.store $cold 0 +STATE)
        (i32.store $cold -1 +ACTOR)
        (f64.store $cold 0 +SUM)
        (f64.store $cold 0 +LOW)
        (f64.store $cold 1 +HIGH)
        {copy}
        (set $hot (i32.add $hot HOT))
        (set $cold (i32.add $cold COLD))
        (set $from (i32.add $from MOVE))
        (br_if $next (i32.lt_u $hot $end)))
    (if (i32.lt_s (i32.load WHO) 0) (then
        (set $from WEIGHTS)
        (set $end (i32.add $cold (i32.mul $count 8)))
        (loop $again
            (set $sum (i64.add $sum (i64.load $from)))
            (i64.store $cold $sum)
            (set $from (i32.add $from 8))
            (set $cold (i32.add $cold 8))
            (br_if $again (i32.lt_u $cold $end)))))
    1)
"""

NOISE = """
(func (result f64)  ;; a number from 0 to 1
    (f64.div (f64.convert_i64_s (call half CHOICES)) 4294967296))
"""

SETTLED = """
(func (param $hot $cold $owner i32)  ;; what is proved is what it is worth; nobody goes on where he has lost
    (local $worth f64)
    (set $worth (f64.load $cold +LOW))
    (if (i32.eq $owner 1) (then (set $worth (f64.sub 1 $worth))))
    (if (f64.eq $worth 0) (then (set $worth -1)))
    (f32.store $hot (f32.demote_f64 $worth))
    (f32.store $hot 0 +4))
"""

PROVE = """
(func (param $depth i32)  ;; carries bounds that have become closer at a node to those before it
    (local $node $kid $end $actor $at i32) (local $low $high $weight $all f64) (local $before $now i64)
    (block $done (loop $up
        (br_if $done (i32.eqz $depth))
        (set $depth (i32.sub $depth 1))
        (set $node (i32.load (i32.shl $depth 4) +PATH_COLD))
        (set $actor (i32.load $node +ACTOR))
        (set $kid (i32.add (i32.load $node +KIDS) (i32.mul (i32.load $node +KIDS_N) HOT)))
        (set $end (i32.add $kid (i32.mul (i32.load $node +KIDS_N) COLD)))
        (set $at $end)
        (set $low (f64.load $kid +LOW))
        (set $high (f64.load $kid +HIGH))
        (if (i32.lt_s $actor 0)
            (then
                (set $low 0)
                (set $high 0)
                (set $before 0)
                (loop $weigh
                    (set $now (i64.load $at))
                    (set $weight (f64.convert_i64_s (i64.sub $now $before)))
                    (set $low (f64.add $low (f64.mul $weight (f64.load $kid +LOW))))
                    (set $high (f64.add $high (f64.mul $weight (f64.load $kid +HIGH))))
                    (set $before $now)
                    (set $at (i32.add $at 8))
                    (set $kid (i32.add $kid COLD))
                    (br_if $weigh (i32.lt_u $kid $end)))
                (set $all (f64.convert_i64_s $before))
                (set $low (f64.div $low $all))
                (set $high (f64.div $high $all)))
            (else (loop $next
                (if $actor
                    (then
                        (set $low (f64.min $low (f64.load $kid +LOW)))
                        (set $high (f64.min $high (f64.load $kid +HIGH))))
                    (else
                        (set $low (f64.max $low (f64.load $kid +LOW)))
                        (set $high (f64.max $high (f64.load $kid +HIGH)))))
                (set $kid (i32.add $kid COLD))
                (br_if $next (i32.lt_u $kid $end)))))
        (set $kid (i32.sub (i32.load $node +KIDS) HEAD))
        (set $low (f64.max $low (f64.load $kid +LEAST)))
        (set $high (f64.min $high (f64.load $kid +MOST_OF)))
        (f64.store $kid $low +LEAST)
        (f64.store $kid $high +MOST_OF)
        (br_if $done (i32.eqz (call bounded $depth $low $high)))
        (br $up))))
"""

BOUNDED = """
(func (param $depth i32) (param $low $high f64) (result i32)  ;; gives a node bounds; if they are new
    (local $node i32)
    (set $node (i32.load (i32.shl $depth 4) +PATH_COLD))
    (if (f64.eq $low (f64.load $node +LOW)) (then
        (if (f64.eq $high (f64.load $node +HIGH)) (then (return 0)))))
    (f64.store $node $low +LOW)
    (f64.store $node $high +HIGH)
    (if (f64.eq $low $high) (then
        (call settled (i32.load (i32.shl $depth 4) +PATH) $node (i32.load (i32.shl $depth 4) +PATH_OWNER))))
    1)
"""

BACKUP = """
(func (param $depth i32)  ;; one more visit of all nodes on the way
    (local $hot $cold $visits $head i32) (local $sum f64)
    (loop $up
        (set $hot (i32.load (i32.shl $depth 4) +PATH))
        (set $cold (i32.load (i32.shl $depth 4) +PATH_COLD))
        (set $visits (i32.add (i32.load $cold +VISITS) 1))
        (i32.store $cold $visits +VISITS)
        (if (i32.load $cold +KIDS) (then
            (set $head (i32.sub (i32.load $cold +KIDS) HEAD))
            (i32.store $head (i32.add (i32.load $head +PASSED) 1) +PASSED)))
        (set $sum (f64.add (f64.load $cold +SUM)
            (f64.load (i32.shl (i32.load (i32.shl $depth 4) +PATH_OWNER) 3) +GAIN)))
        (f64.store $cold $sum +SUM)
        (if (i32.ge_s (i32.load (i32.shl $depth 4) +PATH_ENTRY) 0) (then
            (call learn (i32.load (i32.shl $depth 4) +PATH_ENTRY))))
        (if (f64.ne (f64.load $cold +LOW) (f64.load $cold +HIGH)) (then
            (f32.store $hot (f32.demote_f64 (f64.div $sum (f64.convert_i32_u $visits))))
            (f32.store $hot (f32.demote_f64 (f64.div 1 (f64.sqrt (f64.convert_i32_u $visits)))) +4)))
        (set $depth (i32.sub $depth 1))
        (br_if $up (i32.ge_s $depth 0)))
    (call learn_listed))
"""

COME_TO = """
(func (param $depth $listing i32) (result i32)  ;; puts the position of a node in place; its stop
    (local $node $from $at i32)
    (set $from $depth)
    (block $found (loop $back
        (set $node (i32.load (i32.shl $from 4) +PATH_COLD))
        (br_if $found (i32.load $node +STATE))
        (set $from (i32.sub $from 1))
        (br $back)))
    (set $at (i32.load $node +STATE))
    {restore}
    (if (i32.eq $from $depth) (then
        (return (call step (i32.add (i32.load $node +STOP) FIRST_CASE) 0 $listing))))
    (loop $on
        (set $from (i32.add $from 1))
        (set $node (i32.add (i32.load (i32.shl $from 4) +PATH_COLD) MOVE_AT))
        (set $at (call step (i32.load $node) $node (i32.and $listing (i32.eq $from $depth))))
        (if (i32.lt_s $at 0) (then (return $at)))
        (br_if $on (i32.lt_u $from $depth)))
    $at)
"""

SIMULATE = """
(func (param $longest i64)  ;; one game: down the tree, on at random, and what it brought back up
    (local $node $kids $head $count $number $owner $depth $to $at $drawn $entry $level i32)
    (i32.store LISTED_TOP LISTED)
    (set $node ROOT)
    (set $to -1)
    (block $played
        (loop $again
            (block $leaf (loop $down
                (set $kids (i32.load $node +KIDS))
                (br_if $leaf (i32.eqz $kids))
                (br_if $leaf (i32.eq $depth DEEPEST))
                (set $head (i32.sub $kids HEAD))
                (set $level (i32.add (i32.load $head +LEVEL) 1))
                (if (call bounded $depth (f64.load $head +LEAST) (f64.load $head +MOST_OF)) (then
                    (call prove $depth)
                    (br_if $leaf (f64.eq (f64.load $node +LOW) (f64.load $node +HIGH)))))
                (set $count (i32.load $node +KIDS_N))
                (set $entry -1)
                (set $drawn (i32.lt_s (i32.load $node +ACTOR) 0))
                (if $drawn
                    (then (set $number (call likely $kids $count)))
                    (else
                        (set $owner (i32.load $node +ACTOR))
                        (set $number (call best $kids $count (f32.demote_f64 (f64.mul (f64.load WIDE)
                            (f64.sqrt (call ln (i32.load $head +PASSED)))))))))
                (set $depth (i32.add $depth 1))
                (set $node (i32.add (i32.add $kids (i32.mul $count HOT)) (i32.mul $number COLD)))
                (i32.store (i32.shl $depth 4) (i32.add $kids (i32.mul $number HOT)) +PATH)
                (i32.store (i32.shl $depth 4) $node +PATH_COLD)
                (i32.store (i32.shl $depth 4) $owner +PATH_OWNER)
                (if (i32.eqz $drawn) (then
                    (set $entry (call entry $owner (i32.add $node MOVE_AT)))))
                (i32.store (i32.shl $depth 4) $entry +PATH_ENTRY)
                (br_if $leaf (f64.eq (f64.load $node +LOW) (f64.load $node +HIGH)))
                (br $down)))
            (set $at (i32.load $node +STOP))
            (if (i32.ge_s $at 0) (then (if (i32.eq (i32.load8_u $at +KINDS) END) (then
                (memory.copy GAIN (i32.load $node +STATE) GAINS)
                (br $played)))))
            (if (f64.eq (f64.load $node +LOW) (f64.load $node +HIGH)) (then
                (f64.store GAIN (f64.load $node +LOW))
                (f64.store GAIN (f64.sub 1 (f64.load $node +LOW)) +8)
                (br $played)))
            (if (i32.eq $at -2) (then
                (call even)
                (br $played)))
            (set $number (i32.and (i32.ge_u (i32.load $node +VISITS) (i32.load PATIENCE))
                (i32.lt_u $depth DEEPEST)))
            (set $number (i32.and $number (i32.eqz (i32.load FULL))))
            (set $to (call come_to $depth $number))
            (if (i32.lt_s $to 0) (then
                (i32.store $node -2 +STOP)
                (call even)
                (br $played)))
            (i32.store $node $to +STOP)
            (i32.store $node (i32.load WHO) +ACTOR)
            (if (i32.eq (i32.load8_u $to +KINDS) END) (then
                (call payoffs $to)
                (set $at (call alloc GAINS))
                (if (i32.eqz $at) (then
                    (i32.store FULL 1)
                    (i32.store $node -1 +STOP)
                    (br $played)))
                (memory.copy $at GAIN GAINS)
                (i32.store $node $at +STATE)
                (if (i32.load SOLVING) (then
                    (f64.store $node (f64.load GAIN) +LOW)
                    (f64.store $node (f64.load GAIN) +HIGH)
                    (call settled (i32.load (i32.shl $depth 4) +PATH) $node $owner)
                    (call prove $depth)))
                (br $played)))
            (if $number (then
                (if (call expand $node $to $level) (then (br $again)))
                (i32.store FULL 1)))
            (call follow $to $longest)
            (br $played)))
    (call backup $depth))
"""

PLAYED = """
(func played (param $stop i32) (param $longest i64)
    (call apart)
    (call follow $stop $longest))
"""

SEARCH = """
(func search (param $games $longest i64) (result i32)  ;; so many games, unless all is proved before
    (local $done i64)
    (block $all (loop $next
        (br_if $all (i64.ge_s $done $games))
        (br_if $all (f64.eq (f64.load ROOT +LOW) (f64.load ROOT +HIGH)))
        (call simulate $longest)
        (set $done (i64.add $done 1))
        (br $next)))
    (i32.wrap_i64 $done))
"""

BEGIN = """
(func begin (param $stop i32) (result i32)  ;; a new tree, from the position in memory; the moves, or below 0
    (local $to i32)
    (i32.store TOP BASE)
    (call empty)
    (call apart)
    (memory.fill AVERAGES 0 AVERAGES_SIZE)
    (i32.store FULL 0)
    (i32.store ROOT_HOT 0)
    (i64.store ROOT 0 +KIDS)
    (i32.store ROOT 0 +VISITS)
    (i32.store ROOT $stop +STOP)
    (i32.store ROOT 0 +STATE)
    (f64.store ROOT 0 +SUM)
    (f64.store ROOT 0 +LOW)
    (f64.store ROOT 1 +HIGH)
    (i32.store PATH ROOT_HOT)
    (i32.store PATH_COLD ROOT)
    (i32.store PATH_OWNER 0)
    (i32.store PATH_ENTRY -1)
    (set $to (call step (i32.add $stop FIRST_CASE) 0 1))
    (if (i32.lt_s $to 0) (then (return $to)))
    (drop (call expand ROOT $to 0))
    (global.get MOVES))
"""
