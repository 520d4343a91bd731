# SPDX-License-Identifier: Apache-2.0
"""One pointer for the whole state: how compiled code sees its hundred arrays.

Passed as tuples, the arrays would be some 800 values in every call, and compiling would take
minutes. So the kernel gets the address of a table with the address and shape of each array;
`state.hosts.load` reads there. The table never changes while a kernel runs, and LLVM is told so.
"""

from __future__ import annotations

from typing import Any, Final, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np import arrayobj

from moorage.solving.local.layout import State

SLOTS: Final = 3
"""Of each array in the table: address, height, width."""


def _fields(block: type, path: str, found: dict[str, Any]) -> dict[str, Any]:
    """Number all arrays of a block and of the blocks inside it."""
    for name, hint in get_type_hints(block, include_extras=True).items():
        inner = f"{path}.{name}"
        if hasattr(hint, "__metadata__"):
            dtype, dimensions = hint.__metadata__
            found[inner] = (len(found), getattr(types, dtype), dimensions)
        else:
            _fields(hint, inner, found)
    return found


ROOT: Final = "state"
FIELDS: Final = _fields(State, ROOT, {})


class Handle:
    """The state for the kernel; it keeps the arrays and the table alive."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._table = np.zeros((len(FIELDS), SLOTS), dtype=np.int64)
        for path, (number, dtype, dimensions) in FIELDS.items():
            array: Any = state
            for name in path.split(".")[1:]:
                array = getattr(array, name)
            if str(array.dtype) != str(dtype) or array.ndim != dimensions:
                raise TypeError(f"{path} is {array.dtype}, {array.ndim}, not {dtype}, {dimensions}")
            if not array.flags.c_contiguous or not array.flags.writeable:
                raise TypeError(f"{path} is not contiguous or not writeable")
            shape = (*array.shape, 1)[:2]
            self._table[number] = (array.ctypes.data, *shape)
        self.address = self._table.ctypes.data


class Block(types.Type):  # type: ignore[misc]  # numba has no types of its own
    """The type of the state, or of one block of it."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(name=f"Block({path})")


@register_model(Block)
class BlockModel(models.PrimitiveModel):  # type: ignore[misc]
    """All blocks are the same pointer to the table."""

    def __init__(self, manager: Any, block: Any) -> None:
        super().__init__(manager, block, ir.IntType(64).as_pointer())


@typeof_impl.register(Handle)  # type: ignore[untyped-decorator]
def _typeof(_value: Handle, _context: Any) -> Block:
    return Block(ROOT)


@unbox(Block)  # type: ignore[untyped-decorator]
def _unbox(_block: Any, value: Any, context: Any) -> Any:
    number = context.pyapi.object_getattr_string(value, "address")
    address = context.pyapi.long_as_longlong(number)
    context.pyapi.decref(number)
    pointer = context.builder.inttoptr(address, ir.IntType(64).as_pointer())
    return NativeValue(pointer)


def _resolve(path: str) -> Any:
    """The type of what stands at *path*."""
    if path not in FIELDS:
        return Block(path) if any(p.startswith(f"{path}.") for p in FIELDS) else None
    _, dtype, dimensions = FIELDS[path]
    return types.Array(dtype, dimensions, "C")


@infer_getattr
class BlockAttributes(AttributeTemplate):  # type: ignore[misc]
    """Blocks have blocks and arrays as attributes."""

    key = Block

    def generic_resolve(self, block: Any, name: str) -> Any:
        """Tell numba the type of an attribute."""
        return _resolve(f"{block.path}.{name}")


@lower_getattr_generic(Block)  # type: ignore[untyped-decorator]
def _lower(context: Any, builder: Any, block: Any, value: Any, name: str) -> Any:
    """Make an array of what the table says, or hand on the pointer for a block."""
    path = f"{block.path}.{name}"
    if path not in FIELDS:
        return value
    number, dtype, dimensions = FIELDS[path]
    array_type = _resolve(path)
    array = arrayobj.make_array(array_type)(context, builder)
    address, *shape = [_read(builder, value, number * SLOTS + k) for k in range(1 + dimensions)]
    size = context.get_abi_sizeof(context.get_data_type(dtype))
    word = context.get_constant(types.intp, size)
    strides = [word] if dimensions == 1 else [builder.mul(shape[1], word), word]
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=word,
        meminfo=None,
    )
    return array._getvalue()  # noqa: SLF001  # the way that numba names it


def _read(builder: Any, table: Any, at: int) -> Any:
    """Read a number of the table, which never changes while a kernel runs."""
    place = builder.gep(table, [ir.Constant(ir.IntType(32), at)])
    number = builder.load(place)
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number
