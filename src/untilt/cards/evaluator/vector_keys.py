"""Keys of four hands at once, with AVX2 instructions.

The key of a hand is a sum over its cards (see `evaluator_tables`). With AVX2, four hands of up
to eight bytes fill a register, and one byte of all keys is a lookup in sixteen bytes (`pshufb`)
and a sum over eight (`psadbw`): a third of the instructions of adding card by card. On other
processors cards are added one by one.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from untilt.cards.evaluator.evaluator_tables import RANK_KEYS, START_KEY
from untilt.numeric.kernel import inlined, instruction

HANDS_AT_ONCE = 4

_BYTE = ir.IntType(8)
_WORD = ir.IntType(64)
_BYTES = ir.VectorType(_BYTE, 32)
_WORDS = ir.VectorType(_WORD, 4)
_POSITION = ir.IntType(32)

Words: TypeAlias = npt.NDArray[np.uint64]
SumFourKeys: TypeAlias = Callable[[Words, npt.NDArray[np.uint8], np.uint64, np.uint64, Words], None]


@intrinsic
def _sum_four_keys_avx2(
    typing_context: Any, card_keys: Any, cards: Any, begin: Any, num_cards: Any, keys: Any
) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data_of(position: int) -> Any:
            array = context.make_array(signature.args[position])
            return array(context, builder, arguments[position]).data

        first = builder.gep(data_of(1), [arguments[2]])
        size = arguments[3]
        hands = ir.Constant(_WORDS, ir.Undefined)
        for hand in range(HANDS_AT_ONCE):
            offset = builder.mul(size, _WORD(hand))
            word = builder.load(
                builder.bitcast(builder.gep(first, [offset]), _WORD.as_pointer()), align=1
            )
            hands = builder.insert_element(hands, word, _POSITION(hand))

        def of_all_hands(word: Any) -> Any:
            words = ir.Constant(_WORDS, ir.Undefined)
            for hand in range(HANDS_AT_ONCE):
                words = builder.insert_element(words, word, _POSITION(hand))
            return words

        # Bytes after the hand belong to the next one. The lookup of a byte with its highest bit
        # set gives 0.
        num_bits = builder.mul(size, _WORD(8))
        skips = of_all_hands(builder.shl(_WORD(0x8080808080808080), num_bits))
        no_card = of_all_hands(
            builder.lshr(_WORD(0xC0C0C0C0C0C0C0C0), builder.sub(_WORD(64), num_bits))
        )
        # Only the lower four bits select, so ranks need no mask.
        ranks = builder.bitcast(builder.or_(hands, skips), _BYTES)
        nibbles = builder.and_(builder.lshr(hands, _splat(4)), _splat(0x0303030303030303))
        suits = builder.bitcast(builder.or_(nibbles, skips), _BYTES)

        look_up = _declared(builder.module, "llvm.x86.avx2.pshuf.b", _BYTES)
        sum_bytes = _declared(builder.module, "llvm.x86.avx2.psad.bw", _WORDS)

        def find(table: list[int], choices: Any) -> Any:
            return builder.call(look_up, [ir.Constant(_BYTES, 2 * table), choices])

        def add(total: Any, parts: Any, shift: int) -> Any:
            part = builder.call(sum_bytes, [parts, ir.Constant(_BYTES, [0] * 32)])
            return builder.add(total, builder.shl(part, _splat(shift)))

        total = _splat(int(START_KEY))
        for shift in (0, 8, 16):
            table = [key >> shift & 255 for key in RANK_KEYS] + [0] * 3
            total = add(total, find(table, ranks), shift)
        high_bits = builder.bitcast(builder.and_(hands, no_card), _BYTES)
        total = add(total, builder.or_(find([0] * 13 + [1] * 3, ranks), high_bits), 32)
        total = add(total, find([1, 16, 0, 0] * 4, suits), 48)
        total = add(total, find([0, 0, 1, 16] * 4, suits), 56)
        builder.store(total, builder.bitcast(data_of(4), _WORDS.as_pointer()), align=1)
        return context.get_dummy_value()

    arguments = (card_keys, cards, types.uint64, types.uint64, keys)
    return types.void(*arguments), generate


def _splat(value: int) -> Any:
    return ir.Constant(_WORDS, [value] * 4)


def _declared(module: Any, name: str, result: Any) -> Any:
    if name in module.globals:
        return module.globals[name]
    return ir.Function(module, ir.FunctionType(result, [_BYTES, _BYTES]), name)


@inlined
def sum_four_keys_one_by_one(
    card_keys: Words,
    cards: npt.NDArray[np.uint8],
    begin: np.uint64,
    num_cards: np.uint64,
    keys: Words,
) -> None:
    """Write the keys of four hands, cards[begin:] in rows of `num_cards`, to keys[:4]."""
    position = begin
    for hand in range(HANDS_AT_ONCE):
        key = START_KEY
        for _ in range(num_cards):
            key += card_keys[cards[position]]
            position += np.uint64(1)
        keys[hand] = key


# Numba may compile for an older processor than this one (NUMBA_CPU_NAME).
HAS_AVX2 = "+avx2" in cpu_target.target_context.codegen().magic_tuple()[2].split(",")

sum_four_keys: SumFourKeys = instruction(
    _sum_four_keys_avx2 if HAS_AVX2 else sum_four_keys_one_by_one, sum_four_keys_one_by_one
)
"""Write the keys of four hands to keys[:4]; this reads eight bytes from the start of each hand."""
