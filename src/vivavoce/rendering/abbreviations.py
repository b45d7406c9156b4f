"""Words whose full stop does not end a sentence. Data, per kind; compared in lower case."""

from typing import Final

from vivavoce.rendering.wordlists import words

ALWAYS: Final = words(
    "e.g i.e viz vs cf al approx incl excl resp dept univ eds",
)
"""A sentence goes on after these, whatever follows."""

GERMAN_ALWAYS: Final = words(
    "z.b d.h u.a u.ä i.d.r o.ä v.a m.e s.o s.u u.u z b d h u a ä v o s t zb zt zz zzt",
    "bzw ggf evtl inkl exkl zzgl bspw ders dgl ebd einschl entspr geb gest ggü hrsg jh kath",
    "ev lfd med mind phil rer nat jur sog urspr verf vgl allg betr bes ca rd dipl ing",
)
"""The same, in German only: some of these are words elsewhere."""

HONORIFICS: Final = words(
    "mr mrs ms mx dr prof st mt ft gen sen rep gov col capt lt sgt cmdr rev hon pres msgr messrs",
    "hr hrn frl",
)
"""A name goes on after these if they are capitalised ("Ms. Lee", but "97 ms. Then")."""

BEFORE_NUMBERS: Final = words(
    "no nos n° p pp fig figs vol vols ch sec art eq ref v ver jan feb mar apr jun jul aug sep",
    "sept oct nov dec nr str abs bd kap s aufl az tel ext max min",
)
"""A sentence goes on after these if a number follows."""

TAILS: Final = words(
    "co inc ltd corp bros jr sr esq etc plc llc dept est ave blvd rd ln usw usf gmbh ag st",
)
"""These may end a sentence: it ends if the next word starts one."""

STARTERS: Final = words(
    "a after all also an and are as at because before but by can did do does each every first",
    "for from has have he her here his how however i if in is it its let many most my next no",
    "not now on once one only or our please she should so some such that the their then there",
    "these they this those to today we were what when where which while who why will with you",
    "your das der die ein eine er es ich ihr man sie wir und aber dann danach dies diese dieser",
    "jetzt nun wenn wer wie wo zum zur im am auf bei bitte alle damit",
)
"""Capitalised words that begin a sentence, and are seldom part of a name."""

GERMAN_ORDINAL_LEADS: Final = words(
    "am vom zum der die das dem den des im ab bis seit beim jeder jede jeden jedes aus ein eine",
    "einen einem einer sein seine ihr ihre unser unsere",
)
"""German words after which a number with a full stop is an ordinal."""

GERMAN_ORDINAL_NOUNS: Final = words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember",
    "jahrhundert jahrtausend klasse stock platz",
)
"""German nouns before which a number with a full stop is an ordinal."""
