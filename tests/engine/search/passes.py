"""A game in which one reply of many refutes what looks best."""

PASSES = """
game "Passes"
players ann, ben
rules:
    choose act(k in 1..30) by ann
    choose reply(n in 1..90) by ben
    if n == 37:
        if k == 30: end win(ben)
        end win(ann)
    luck: 0..800 = 0
    for lap in 1..8:
        thrown = roll 1..100
        luck += thrown
    if luck < (450 if k == 30 else 400): end win(ann)
    end win(ben)
"""
"""Ben's 37th reply loses but against Ann's 30th action, which is better than hers against all others."""
