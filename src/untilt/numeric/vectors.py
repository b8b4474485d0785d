"""Vectors of floats inside kernels: one value that stands for 16 or 32 neighbouring lanes.

LLVM vectorises simple loops by itself, but gives up on what public trees need: card removal with
running sums per card, and several rows side by side. A vector is a value of its own type:

    x = load16(array, position)          # 16 numbers starting at `position`; unchecked
    y = where(x > 0.0, x, 0.0) * 2.0     # operators take vectors, and numbers for all lanes
    store(array, position, fma(x, y, z))

A rule written with operators and `where` serves numbers and vectors alike. Arrays are float32,
contiguous and one-dimensional. A load from int16 or uint16 gives the same vector of floats. Loads
from float64 give vectors of float64, with which most functions here work too; the two kinds do not
mix.

LLVM splits a vector into registers of whatever width the processor has. These functions exist in
kernels; without the compiler they work on NumPy arrays. For the type checker a vector is a float.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from untilt.numeric.half_floats import (
    emit_four,
    emit_mixed,
    emit_narrowed,
    emit_sparse,
    emit_widened,
    four_words,
    is_kept_sparse,
    is_narrow,
    mixed,
    rounded,
    widened,
)
from untilt.numeric.kernel import instruction
from untilt.numeric.sparse import read

_FLOAT = ir.FloatType()
_DOUBLE = ir.DoubleType()
_INDEX = ir.IntType(32)
_INTEGERS = (types.int16, types.uint16)
"""Types of arrays, besides float32, from which and into which vectors are converted."""


class VectorType(types.Type):
    """The compiler's type of `width` floats, of 32 bits or of 64."""

    def __init__(self, width: int, bits: int = 32) -> None:
        self.width = width
        self.bits = bits
        super().__init__(name=f"Vector{width}" if bits == 32 else f"Vector{width}of{bits}")

    @property
    def lane(self) -> Any:
        """The type of a lane, as LLVM names it."""
        return _FLOAT if self.bits == 32 else _DOUBLE

    @property
    def number(self) -> Any:
        """The type of a lane, as the compiler names it."""
        return types.float32 if self.bits == 32 else types.float64


class MaskType(types.Type):
    """The compiler's type of `width` truth values."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Mask{width}")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: VectorType) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            manager, vector, ir.VectorType(vector.lane, vector.width)
        )


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, mask: MaskType) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            manager, mask, ir.VectorType(ir.IntType(1), mask.width)
        )


def _splat(builder: Any, number: Any, width: int, lane: Any = _FLOAT) -> Any:
    """Return a vector whose lanes all hold `number`, a float of any width."""
    if number.type != lane:
        convert = builder.fptrunc if lane == _FLOAT else builder.fpext
        number = convert(number, lane)
    vector_type = ir.VectorType(lane, width)
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(_INDEX, 0))
    zeros = ir.Constant(ir.VectorType(_INDEX, width), [0] * width)
    return builder.shuffle_vector(first, undefined, zeros)


def _as_vector(builder: Any, value: Any, kind: Any, vector: VectorType) -> Any:
    if isinstance(kind, VectorType):
        return value
    if isinstance(kind, types.Integer):
        value = builder.sitofp(value, vector.lane)
    return _splat(builder, value, vector.width, vector.lane)


def _common(*kinds: Any) -> VectorType | None:
    """Return the type of the vectors; None if there are none, or other types than numbers.

    Numbers beside a mask become vectors of float32.
    """
    widths = {kind.width for kind in kinds if isinstance(kind, VectorType | MaskType)}
    bits = {kind.bits for kind in kinds if isinstance(kind, VectorType)}
    others = [kind for kind in kinds if not isinstance(kind, VectorType | MaskType)]
    are_numbers = all(isinstance(kind, types.Number) for kind in others)
    if len(widths) != 1 or len(bits) > 1 or not are_numbers:
        return None
    return VectorType(widths.pop(), *bits)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    struct = context.make_array(kind)(context, builder, array)
    return builder.gep(struct.data, [position])


def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, width = signature.args[0], signature.return_type.width
    pointer = _pointer(context, builder, kind, *arguments)
    lanes = ir.VectorType(context.get_data_type(kind.dtype), width)
    pointer = builder.bitcast(pointer, lanes.as_pointer())
    value = builder.load(pointer, align=kind.dtype.bitwidth // 8)
    if kind.dtype in _INTEGERS:
        convert = builder.sitofp if kind.dtype is types.int16 else builder.uitofp
        return convert(value, ir.VectorType(signature.return_type.lane, width))
    return value


def _vector_of(array: Any, width: int) -> VectorType:
    """Return the type of vectors that a load from `array` gives."""
    return VectorType(width, 64 if array.dtype is types.float64 else 32)


def _loader(width: int) -> Any:
    @intrinsic
    def load(typing_context: Any, array: Any, position: Any) -> Any:
        del typing_context
        return _vector_of(array, width)(array, types.intp), _load

    return load


@intrinsic
def _load_like(typing_context: Any, array: Any, position: Any, like: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _load(context, builder, signature, arguments[:2])

    return like(array, types.intp, like), generate


@intrinsic
def _gather16(typing_context: Any, array: Any, places: Any, first: Any, offset: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, places_kind = signature.args[:2]
        array, places, first, offset = arguments
        begin = _pointer(context, builder, kind, array, offset)
        lanes = ir.VectorType(signature.return_type.lane, 16)
        vector = ir.Constant(lanes, ir.Undefined)
        for lane in range(16):
            at = builder.add(first, ir.Constant(first.type, lane))
            place = builder.load(_pointer(context, builder, places_kind, places, at))
            if places_kind.dtype.bitwidth < first.type.width:
                place = builder.sext(place, first.type)
            number = builder.load(builder.gep(begin, [place]))
            vector = builder.insert_element(vector, number, ir.Constant(_INDEX, lane))
        return vector

    return _vector_of(array, 16)(array, places, types.intp, types.intp), generate


def _rows_of_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Return pointers to the four numbers of each of 16 lanes, at places[first + lane] + offset."""
    kind, places_kind = signature.args[:2]
    array, places, first, offset = arguments[:4]
    element = context.get_data_type(kind.dtype)
    pointers = []
    for lane in range(16):
        at = builder.add(first, ir.Constant(first.type, lane))
        place = builder.load(_pointer(context, builder, places_kind, places, at))
        pointer = _pointer(context, builder, kind, array, builder.add(place, offset))
        pointers.append(builder.bitcast(pointer, ir.VectorType(element, 4).as_pointer()))
    return pointers


def _sparse_columns(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Return four vectors of 16 lanes from numbers in the sparse form."""
    kind, places_kind = signature.args[:2]
    numbers, places, first, offset = arguments[:4]
    columns = [ir.Constant(ir.VectorType(_FLOAT, 16), ir.Undefined)] * 4
    for lane in range(16):
        at = builder.add(first, ir.Constant(first.type, lane))
        place = builder.add(
            builder.load(_pointer(context, builder, places_kind, places, at)), offset
        )
        for number in range(4):
            position = builder.add(place, ir.Constant(place.type, number))
            value = emit_sparse(context, builder, kind, numbers, position)
            index = ir.Constant(_INDEX, lane)
            columns[number] = builder.insert_element(columns[number], value, index)
    return columns


def _shuffled(builder: Any, first: Any, second: Any, order: Sequence[int]) -> Any:
    chosen = ir.Constant(ir.VectorType(_INDEX, len(order)), list(order))
    return builder.shuffle_vector(first, second, chosen)


def _transposed4(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """Return the columns of four vectors of four numbers."""
    a, b, c, d = rows
    low, high = [0, 4, 1, 5], [2, 6, 3, 7]
    ab, cd = _shuffled(builder, a, b, low), _shuffled(builder, c, d, low)
    ab2, cd2 = _shuffled(builder, a, b, high), _shuffled(builder, c, d, high)
    first, second = [0, 1, 4, 5], [2, 3, 6, 7]
    return [
        _shuffled(builder, ab, cd, first),
        _shuffled(builder, ab, cd, second),
        _shuffled(builder, ab2, cd2, first),
        _shuffled(builder, ab2, cd2, second),
    ]


@intrinsic
def _gather16x4(typing_context: Any, array: Any, places: Any, first: Any, offset: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if is_kept_sparse(signature.args[0]):
            columns = _sparse_columns(context, builder, signature, arguments)
            return context.make_tuple(builder, signature.return_type, columns)
        size = signature.args[0].dtype.bitwidth // 8
        rows = [
            builder.load(pointer, align=size)
            for pointer in _rows_of_lanes(context, builder, signature, arguments)
        ]
        if is_narrow(signature.args[0]):
            rows = [emit_widened(builder, signature.args[0], row) for row in rows]
        quarters = [_transposed4(builder, rows[lane : lane + 4]) for lane in range(0, 16, 4)]
        columns = []
        for column in range(4):
            a, b, c, d = (quarter[column] for quarter in quarters)
            low = _shuffled(builder, a, b, range(8))
            high = _shuffled(builder, c, d, range(8))
            columns.append(_shuffled(builder, low, high, range(16)))
        return context.make_tuple(builder, signature.return_type, columns)

    found = types.UniTuple(VectorType(16), 4)  # type: ignore[no-untyped-call]
    return found(array, places, types.intp, types.intp), generate


@intrinsic
def _add16x4(
    typing_context: Any,
    array: Any,
    places: Any,
    first: Any,
    offset: Any,
    columns: Any,
    floor: Any,
    key: Any,
) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if is_kept_sparse(signature.args[0]):  # is never changed in place
            return context.get_dummy_value()
        kind = signature.args[0]
        size = kind.dtype.bitwidth // 8
        is_rounded = is_narrow(kind)
        random = emit_mixed(builder, arguments[6]) if is_rounded else None
        columns = cgutils.unpack_tuple(builder, arguments[4], 4)  # type: ignore[no-untyped-call]
        floor = _splat(builder, arguments[5], 4)
        pointers = _rows_of_lanes(context, builder, signature, arguments)
        for lane in range(0, 16, 4):
            quarter = [
                _shuffled(builder, column, column, range(lane, lane + 4)) for column in columns
            ]
            added = _transposed4(builder, quarter)
            # One lane at a time, because several may share a row.
            for number, row in enumerate(added, start=lane):
                before = builder.load(pointers[number], align=size)
                if is_rounded:
                    before = emit_widened(builder, kind, before)
                value = builder.fadd(before, row)
                value = builder.select(builder.fcmp_ordered(">", value, floor), value, floor)
                if is_rounded:
                    words = emit_four(builder, random, number)
                    value = emit_narrowed(builder, kind, value, words)
                builder.store(value, pointers[number], align=size)
        return context.get_dummy_value()

    index = types.intp
    return types.void(array, places, index, index, columns, types.float32, types.uint64), generate


@intrinsic
def _store(typing_context: Any, array: Any, position: Any, vector: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, vector_kind = signature.args
        pointer = _pointer(context, builder, kind, *arguments[:2])
        element = context.get_data_type(kind.dtype)
        lanes = ir.VectorType(element, vector_kind.width)
        value = arguments[2]
        if kind.dtype in _INTEGERS:
            convert = builder.fptosi if kind.dtype is types.int16 else builder.fptoui
            value = convert(value, lanes)
        pointer = builder.bitcast(pointer, lanes.as_pointer())
        builder.store(value, pointer, align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


def _splatter(width: int) -> Any:
    @intrinsic
    def splat(typing_context: Any, number: Any) -> Any:
        del typing_context

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            del context
            return _as_vector(builder, arguments[0], signature.args[0], signature.return_type)

        return VectorType(width)(number), generate

    return splat


@intrinsic
def _splat_like(typing_context: Any, number: Any, like: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context
        return _as_vector(builder, arguments[0], signature.args[0], signature.return_type)

    return like(number, like), generate


def _zeros(width: int) -> Any:
    @intrinsic
    def zeros(typing_context: Any, array: Any) -> Any:
        del typing_context

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            del context, builder, arguments
            found = signature.return_type
            return ir.Constant(ir.VectorType(found.lane, width), [0.0] * width)

        return _vector_of(array, width)(array), generate

    return zeros


def _elementwise(name: str) -> Any:
    """Return an intrinsic that applies LLVM's intrinsic `name` to vectors and numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context
        found = signature.return_type
        vector = ir.VectorType(found.lane, found.width)
        given = [
            _as_vector(builder, value, kind, found)
            for value, kind in zip(arguments, signature.args, strict=True)
        ]
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(vector, [vector] * len(given)),
            f"llvm.{name}.v{found.width}f{found.bits}",
        )
        return builder.call(function, given)

    return generate


@intrinsic
def _fma(typing_context: Any, factor: Any, other: Any, term: Any) -> Any:
    del typing_context
    vector = _common(factor, other, term)
    if vector is None:
        return None
    return vector(factor, other, term), _elementwise("fma")


@intrinsic
def _absolute(typing_context: Any, vector: Any) -> Any:
    del typing_context
    return vector(vector), _elementwise("fabs")


@intrinsic
def _nearest(typing_context: Any, vector: Any) -> Any:
    del typing_context
    return vector(vector), _elementwise("rint")


@intrinsic
def _where(typing_context: Any, condition: Any, chosen: Any, other: Any) -> Any:
    del typing_context
    vector = _common(condition, chosen, other)
    if vector is not None:

        def select(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            del context
            mask, *values = arguments
            first, second = (
                _as_vector(builder, value, kind, signature.return_type)
                for value, kind in zip(values, signature.args[1:], strict=True)
            )
            return builder.select(mask, first, second)

        return vector(condition, chosen, other), select

    def select_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.select(*arguments)

    kind = types.float32 if chosen == other == types.float32 else types.float64
    return kind(types.boolean, kind, kind), select_number


def _folded(join: Callable[[Any, Any, Any], Any]) -> Any:
    """Return an intrinsic that joins the lanes in a fixed order: halves with each other."""

    @intrinsic
    def fold(typing_context: Any, vector: Any) -> Any:
        del typing_context

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            del context
            width = signature.args[0].width
            value = arguments[0]
            while width > 1:
                width //= 2
                low = ir.Constant(ir.VectorType(_INDEX, width), list(range(width)))
                high = ir.Constant(ir.VectorType(_INDEX, width), list(range(width, 2 * width)))
                value = join(
                    builder,
                    builder.shuffle_vector(value, value, low),
                    builder.shuffle_vector(value, value, high),
                )
            return builder.extract_element(value, ir.Constant(_INDEX, 0))

        return vector.number(vector), generate

    return fold


def _larger(builder: Any, first: Any, second: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", first, second), first, second)


@intrinsic
def _transpose8(
    typing_context: Any, source: Any, begin: Any, stride: Any, target: Any, at: Any, step: Any
) -> Any:
    """Write 8 rows of 8 numbers from `source` as the columns of `target`."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = signature.args[0].dtype.bitwidth // 8
        lanes = ir.VectorType(_vector_of(signature.args[0], 8).lane, 8)

        def place(first: int, number: int) -> Any:
            kind, (array, base, pitch) = signature.args[first], arguments[first : first + 3]
            offset = builder.add(base, builder.mul(pitch, ir.Constant(pitch.type, number)))
            pointer = _pointer(context, builder, kind, array, offset)
            return builder.bitcast(pointer, lanes.as_pointer())

        def shuffled(first: Any, second: Any, order: list[int]) -> Any:
            return builder.shuffle_vector(
                first, second, ir.Constant(ir.VectorType(_INDEX, 8), order)
            )

        rows = [builder.load(place(0, row), align=size) for row in range(8)]
        # Pairs within halves, then fours within halves, then halves: three shuffles a number.
        pairs = []
        for first, second in zip(rows[::2], rows[1::2], strict=True):
            pairs.append(shuffled(first, second, [0, 8, 1, 9, 4, 12, 5, 13]))
            pairs.append(shuffled(first, second, [2, 10, 3, 11, 6, 14, 7, 15]))
        fours = []
        for group in (0, 4):
            a, b, c, d = pairs[group : group + 4]
            fours.append(shuffled(a, c, [0, 1, 8, 9, 4, 5, 12, 13]))
            fours.append(shuffled(a, c, [2, 3, 10, 11, 6, 7, 14, 15]))
            fours.append(shuffled(b, d, [0, 1, 8, 9, 4, 5, 12, 13]))
            fours.append(shuffled(b, d, [2, 3, 10, 11, 6, 7, 14, 15]))
        for column in range(4):
            upper, lower = fours[column], fours[column + 4]
            for half in (0, 4):
                order = [half + n for n in range(4)] + [half + 8 + n for n in range(4)]
                pointer = place(3, column + half)
                builder.store(shuffled(upper, lower, order), pointer, align=size)
        return context.get_dummy_value()

    index = types.intp
    return types.void(source, index, index, target, index, index), generate


def _operator(symbol: Callable[..., Any], instruction_name: str) -> None:
    """Let a Python operator take vectors, and numbers together with vectors."""
    is_comparison = instruction_name in {">", "<"}

    # Lowered directly: with `overload`, every use would compile a function first.
    @infer_global(symbol)  # type: ignore[no-untyped-call]
    class Template(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            del keywords
            vector = _common(*arguments)
            if vector is None or any(isinstance(kind, MaskType) for kind in arguments):
                return None
            result = MaskType(vector.width) if is_comparison else vector
            return signature(result, *arguments)  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context
        vector = _common(*signature.args)
        assert vector is not None
        first, second = (
            _as_vector(builder, value, kind, vector)
            for value, kind in zip(arguments, signature.args, strict=True)
        )
        if is_comparison:
            return builder.fcmp_ordered(instruction_name, first, second)
        return getattr(builder, instruction_name)(first, second)

    for kinds in (
        (VectorType, VectorType),
        (VectorType, types.Number),
        (types.Number, VectorType),
    ):
        lower_builtin(symbol, *kinds)(generate)  # type: ignore[no-untyped-call]


for _symbol, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.gt, ">"),
    (operator.lt, "<"),
):
    _operator(_symbol, _name)


def _load_in_python(width: int) -> Callable[..., Any]:
    def load(array: Any, position: int) -> Any:
        return array[position : position + width].astype(_lane_in_python(array))

    return load


def _lane_in_python(array: Any) -> Any:
    return np.float64 if array.dtype == np.float64 else np.float32


def _load_like_in_python(array: Any, position: int, like: Any) -> Any:
    return array[position : position + len(like)].astype(like.dtype)


def _gather16_in_python(array: Any, places: Any, first: int, offset: int) -> Any:
    return array[places[first : first + 16] + offset].astype(_lane_in_python(array))


def _gather16x4_in_python(array: Any, places: Any, first: int, offset: int) -> Any:
    begin = places[first : first + 16] + offset
    if isinstance(array, tuple):
        return tuple(
            np.array([read(array, int(place) + number) for place in begin], dtype=np.float32)
            for number in range(4)
        )
    # Whatever is read beyond the end of the array is never used.
    return tuple(widened(array[np.minimum(begin + number, len(array) - 1)]) for number in range(4))


def _add16x4_in_python(
    array: Any, places: Any, first: int, offset: int, columns: Any, floor: Any, key: Any
) -> None:
    random = mixed(int(key))
    for lane in range(16):
        begin = places[first + lane] + offset
        row = array[begin : begin + 4]
        added = np.array([column[lane] for column in columns], dtype=np.float32)[: len(row)]
        after = np.maximum(widened(row) + added, np.float32(floor))
        if row.dtype != np.float32:
            after = rounded(after, four_words(random, lane)[: len(row)], row.dtype)
        row[:] = after


def _store_in_python(array: Any, position: int, vector: Any) -> None:
    array[position : position + len(vector)] = vector


def _splat_in_python(width: int) -> Callable[..., Any]:
    return lambda number: np.full(width, number, np.float32)


def _splat_like_in_python(number: Any, like: Any) -> Any:
    return np.full(len(like), number, like.dtype)


def _zeros_in_python(width: int) -> Callable[..., Any]:
    return lambda array: np.zeros(width, _lane_in_python(array))


def _lane_of(*given: Any) -> Any:
    is_double = any(isinstance(x, np.ndarray) and x.dtype == np.float64 for x in given)
    return np.float64 if is_double else np.float32


def _fma_in_python(factor: Any, other: Any, term: Any) -> Any:
    # Rounded once, as the processor does; with float64, twice.
    exact = np.float64(factor) * np.float64(other) + np.float64(term)
    return np.asarray(exact).astype(_lane_of(factor, other, term))


def _where_in_python(condition: Any, chosen: Any, other: Any) -> Any:
    if isinstance(condition, np.ndarray):
        lane = _lane_of(chosen, other)
        return np.where(condition, lane(chosen), lane(other))
    return chosen if condition else other


def _sum_in_python(vector: Any) -> Any:
    while len(vector) > 1:
        half = len(vector) // 2
        vector = vector[:half] + vector[half:]
    return vector[0]


def _transpose8_in_python(
    source: Any, begin: int, stride: int, target: Any, at: int, step: int
) -> None:
    block = np.array([source[begin + row * stride :][:8] for row in range(8)])
    for column in range(8):
        target[at + column * step :][:8] = block[:, column]


load16: Callable[..., float] = instruction(_loader(16), _load_in_python(16))
"""load16(array, position) → 16 neighbouring numbers as a vector."""

load_like: Callable[..., float] = instruction(_load_like, _load_like_in_python)
"""load_like(array, position, vector) → as many neighbouring numbers as `vector` has lanes."""

gather16: Callable[..., float] = instruction(_gather16, _gather16_in_python)
"""gather16(array, places, first, offset) → the numbers at places[first] + offset and so on: 16 from
anywhere. `array` is of float32, `places` of int64 or int16."""

gather16x4: Callable[..., Any] = instruction(_gather16x4, _gather16x4_in_python)
"""gather16x4(array, places, first, offset) → four vectors of 16 lanes: lane k has the four numbers
that start at places[first + k] + offset, of which up to three may be beyond the end of the array if
the memory there can be read. `array` is of float32, or of 16-bit numbers, see `half_floats`;
`places` is of int64."""

add16x4: Callable[..., None] = instruction(_add16x4, _add16x4_in_python)
"""add16x4(array, places, first, offset, vectors, floor, key) adds four vectors to the numbers that
gather16x4 reads, lane by lane, and raises what is below `floor` to it. Numbers of 16 bits are
rounded at random, by the 64 bits of `key`."""

splat16: Callable[..., float] = instruction(_splatter(16), _splat_in_python(16))
"""splat16(number) → 16 lanes with this number."""

splat32: Callable[..., float] = instruction(_splatter(32), _splat_in_python(32))
"""splat32(number) → 32 lanes with this number."""

splat_like: Callable[..., float] = instruction(_splat_like, _splat_like_in_python)
"""splat_like(number, vector) → as many lanes as `vector` has, with this number."""

zeros16: Callable[..., float] = instruction(_zeros(16), _zeros_in_python(16))
"""zeros16(array) → 16 lanes of 0, of the kind of vector that a load from `array` gives."""

zeros32: Callable[..., float] = instruction(_zeros(32), _zeros_in_python(32))
"""zeros32(array) → 32 such lanes."""

store: Callable[..., None] = instruction(_store, _store_in_python)
"""store(array, position, vector) writes its lanes; into integers, truncated towards zero."""

fma: Callable[..., float] = instruction(_fma, _fma_in_python)
"""fma(x, y, z) → x · y + z, rounded once; at least one is a vector."""

where: Callable[..., float] = instruction(_where, _where_in_python)
"""where(condition, x, y) → x where the condition holds, else y; for vectors and for numbers."""

absolute: Callable[..., float] = instruction(_absolute, np.abs)
"""absolute(x) → the magnitudes of a vector."""

nearest: Callable[..., float] = instruction(_nearest, np.rint)
"""nearest(x) → a vector rounded to whole numbers, halves to even."""

lane_sum: Callable[..., float] = instruction(
    _folded(lambda builder, first, second: builder.fadd(first, second)), _sum_in_python
)
"""lane_sum(x) → the sum of all lanes, halves added onto each other."""

largest_lane: Callable[..., float] = instruction(_folded(_larger), np.max)
"""largest_lane(x) → the largest lane."""

transpose8: Callable[..., None] = instruction(_transpose8, _transpose8_in_python)
"""transpose8(source, begin, stride, target, at, step): the 8 rows of 8 numbers at `begin`,
`begin + stride`, … of `source` become the columns of the rows at `at`, `at + step`, … of
`target`."""
