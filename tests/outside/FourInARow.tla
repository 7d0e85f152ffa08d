---------------------------- MODULE FourInARow ----------------------------
(* Four in a row on a board of 4 columns and 4 rows by hand, to be compared with four_in_a_row.kemu. *)
EXTENDS Integers, Sequences
VARIABLES columns, turn, result

Wide == 4
High == 4
Column == 1..Wide
Cell == Column \X (1..High)
other(p) == IF p = "red" THEN "yellow" ELSE "red"
Ray(c, d) == {<<c[1] + k * d[1], c[2] + k * d[2]>> : k \in 0..3}
Fours == {f \in {Ray(c, d) : c \in Cell, d \in {<<1, 0>>, <<0, 1>>, <<1, 1>>, <<1, -1>>}} : f \subseteq Cell}
Held(p, c, cs) == c[2] <= Len(cs[c[1]]) /\ cs[c[1]][c[2]] = p
Won(p, cs) == \E f \in Fours : \A c \in f : Held(p, c, cs)

Init == columns = [x \in Column |-> << >>] /\ turn = "red" /\ result = "none"
Drop(x) ==
    /\ result = "none" /\ Len(columns[x]) < High
    /\ columns' = [columns EXCEPT ![x] = Append(@, turn)]
    /\ result' = IF Won(turn, columns') THEN turn
                 ELSE IF \A y \in Column : Len(columns'[y]) = High THEN "tie" ELSE "none"
    /\ turn' = IF result' = "none" THEN other(turn) ELSE "over"
Next == \E x \in Column : Drop(x)
Spec == Init /\ [][Next]_<<columns, turn, result>> /\ WF_<<columns, turn, result>>(Next)

OneWinner == ~(Won("red", columns) /\ Won("yellow", columns))
NoDraw == result # "tie"
Ends == <>(result # "none")
=============================================================================
